;;; -*- lexical-binding: t -*-
;; Emacs with lsp-mode and pyright in a file of Python, without a screen: each server says what is its own, once.

(require 'json)
(require 'cl-lib)
(setq make-backup-files nil create-lockfiles nil)

(defvar beside-folder (expand-file-name (pop command-line-args-left)))
(defvar beside-results (expand-file-name (pop command-line-args-left)))
(defvar beside-editors (expand-file-name (pop command-line-args-left)))

(dolist (each (directory-files "/usr/share/emacs/site-lisp/elpa-src" t "^[a-z]"))
  (add-to-list 'load-path each))
(load (expand-file-name "emacs/dp-lsp.el" beside-editors))
(require 'lsp-mode)
(defalias 'lsp-modeline-workspace-status-mode #'ignore)
(setq lsp-client-packages nil lsp-auto-guess-root t lsp-enable-file-watchers nil lsp-enable-snippet nil
      lsp-modeline-diagnostics-enable nil
      lsp-session-file (expand-file-name "session" beside-folder))
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection '("pyright-langserver" "--stdio"))
                  :major-modes '(python-mode python-ts-mode)
                  :server-id 'pyright-beside
                  :priority 1))

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
     (let ((line `((part . "emacs_beside") (check . ,,name)
                   (seconds . ,(/ (round (* 10 (- (float-time) begun))) 10.0))
                   ,@(when problem `((error . ,problem))))))
       (append-to-file (concat (json-encode line) "\n") nil beside-results))))

(defun told (source)
  "What SOURCE says of errors in this buffer."
  (cl-remove-if-not (lambda (each) (and (equal (lsp:diagnostic-source? each) source)
                                        (equal (lsp:diagnostic-severity? each) 1)
                                        (not (equal (lsp:diagnostic-code? each) "reportMissingImports"))))
                    (apply #'append (hash-table-values (lsp-diagnostics)))))

(write-region "" nil beside-results)
(lsp-workspace-folders-add beside-folder)
(find-file (expand-file-name "beside.py" beside-folder))

(check "each problem is shown once"
  (lsp)
  (until "problems of both" (lambda () (and (told "dp-lsp") (told "Pyright"))))
  (let ((end (+ (float-time) 3))) ; whoever repeats something has the time for it
    (while (< (float-time) end) (accept-process-output nil 0.1)))
  (cl-assert (equal (mapcar #'lsp:diagnostic-code? (told "dp-lsp")) '("DP401")) t)
  (cl-assert (equal (mapcar #'lsp:diagnostic-code? (told "Pyright")) '("reportAssignmentType")) t))

(check "hovers of both"
  (goto-char (point-min))
  (search-forward "def ")
  (let ((shown (format "%S" (lsp-request "textDocument/hover" (lsp--text-document-position-params)))))
    (cl-assert (and (string-match-p "(function)" shown) (string-match-p "not private" shown)) t shown)))

(kill-emacs 0)
