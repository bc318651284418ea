;;; -*- lexical-binding: t -*-
;; Emacs without a screen, with the very file that users load. Writes one JSON line a check.

(require 'json)
(require 'cl-lib)
(setq make-backup-files nil create-lockfiles nil)

(defvar folder (expand-file-name (pop command-line-args-left)))
(defvar results (expand-file-name (pop command-line-args-left)))
(defvar editors (expand-file-name (pop command-line-args-left)))

;; The mode for Julia is a package of its own, which need not be here: what eglot needs of it is its name.
(define-derived-mode julia-mode prog-mode "Julia")
(add-to-list 'auto-mode-alist '("\\.jl\\'" . julia-mode))
(load (expand-file-name "emacs/dp-lsp.el" editors))
(setq eglot-connect-timeout 60 eglot-sync-connect 60 eglot-autoshutdown nil)

(defun until (what ask)
  "Wait until ASK answers with something, which is returned; WHAT it is goes into the error."
  (let ((end (+ (float-time) 60)) found)
    (while (not (setq found (funcall ask)))
      (when (> (float-time) end)
        (error "%s: not within 60 s" what))
      (accept-process-output nil 0.1))
    found))

(defmacro check (name &rest body)
  "Run BODY, and write down how it went under NAME."
  `(let ((begun (float-time)) (problem nil))
     (condition-case wrong (progn ,@body) (error (setq problem (error-message-string wrong))))
     (let ((line `((part . "emacs") (check . ,,name) (seconds . ,(/ (round (* 10 (- (float-time) begun))) 10.0))
                   ,@(when problem `((error . ,problem))))))
       (append-to-file (concat (json-encode line) "\n") nil results))))

(defun problems ()
  "What flymake has been told of this buffer as it is now."
  (eglot--signal-textDocument/didChange) ; else at the next idle time, which without a screen never comes
  (flymake-start nil nil)
  (flymake-diagnostics))

(defun sure (holds what)
  (unless holds (error "%s" what)))

(write-region "" nil results)
(find-file (expand-file-name "broken.jl" folder))

(check "diagnostics"
  (run-hooks 'post-command-hook) ; which is when eglot connects; without a screen no command runs
  (until "a server" #'eglot-current-server)
  (let ((found (until "a problem" #'problems)))
    (sure (string-match-p "can change by 2" (flymake-diagnostic-text (car found))) (format "%S" found))))

(check "hover"
  (goto-char (point-min))
  (search-forward "y = x")
  (goto-char (match-beginning 0))
  (let (shown)
    (until "a hover"
           (lambda ()
             (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
             (accept-process-output nil 0.5)
             shown))
    (sure (string-match-p "sensitivity" shown) shown)))

(check "inlay hint"
  (eglot-inlay-hints-mode 1)
  (until "a hint"
         (lambda ()
           (eglot--update-hints (point-min) (point-max))
           (accept-process-output nil 0.3)
           (cl-some (lambda (each)
                      (string-match-p "2 in x" (concat (overlay-get each 'before-string)
                                                       (overlay-get each 'after-string))))
                    (overlays-in (point-min) (point-max))))))

(check "a quick fix mends the problem"
  (goto-char (point-min))
  (search-forward ", y")
  (backward-char)
  (until "the fix"
         (lambda ()
           (cl-letf ((last-nonmenu-event ?q) ; as if called by a key, so that it asks by name and not by a menu
                     ((symbol-function 'completing-read)
                      (lambda (_ choices &rest _)
                        (cl-find "Replace 1 by 2" (all-completions "" choices) :test #'equal))))
             (ignore-errors (eglot-code-actions (point) nil "quickfix" t)))
           (accept-process-output nil 0.5)
           (string-match-p "laplacian_mechanism(2, 0.5, y)" (buffer-string))))
  (until "no problem" (lambda () (null (problems)))))

(check "rename"
  (goto-char (point-min))
  (search-forward "y = x")
  (goto-char (match-beginning 0))
  (eglot-rename "doubled")
  (until "both places" (lambda () (= (how-many "doubled" (point-min) (point-max)) 2))))

(check "the report and a derivation"
  (let ((file (current-buffer)))
    (dp-lsp-report)
    (with-current-buffer "*dp-lsp*" (sure (string-match-p "1 function" (buffer-string)) (buffer-string)))
    (set-buffer file)
    (goto-char (point-min))
    (search-forward "noisy")
    (dp-lsp-derivation)
    (with-current-buffer "*dp-lsp*" (sure (string-match-p "noisy" (buffer-string)) (buffer-string)))))

(set-buffer-modified-p nil)
(ignore-errors (eglot-shutdown-all))
(kill-emacs 0)
