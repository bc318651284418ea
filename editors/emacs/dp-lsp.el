;;; dp-lsp.el --- Differential privacy of Julia programs, by eglot  -*- lexical-binding: t -*-

;; For Emacs 29 and newer.  In your init file:
;;
;;   (load "/path/to/dp-lsp.el")

;;; Code:

(require 'eglot)

(defgroup dp-lsp nil "Differential privacy of Julia programs." :group 'eglot)

(defcustom dp-lsp-command '("dp-lsp" "server")
  "The program that is the language server, and its arguments."
  :type '(repeat string))

;; eglot takes one server a mode: with another one for Julia in the list, the one that stands first is started.
(add-to-list 'eglot-server-programs
             (cons '(julia-mode julia-ts-mode) (lambda (&rest _) dp-lsp-command)))

(add-hook 'julia-mode-hook #'eglot-ensure)
(add-hook 'julia-ts-mode-hook #'eglot-ensure)

;; Python has other servers, beside which this one runs: lsp-mode starts several for a buffer, of which eglot starts one.
(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () dp-lsp-command))
                    :major-modes '(python-mode python-ts-mode)
                    :server-id 'dp-lsp
                    :add-on? t)))

(defun dp-lsp--run (command &rest arguments)
  "Have the server run COMMAND with ARGUMENTS, and show its answer if that is a page."
  (let ((page (eglot-execute-command (eglot--current-server-or-lose) command (vconcat arguments))))
    (when (stringp page)
      (with-current-buffer (get-buffer-create "*dp-lsp*")
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert page)
          (goto-char (point-min)))
        (special-mode)
        (display-buffer (current-buffer))))))

(defun dp-lsp-report ()
  "Show what is known of the functions of this file."
  (interactive)
  (dp-lsp--run "dp-lsp.showReport" (plist-get (eglot--TextDocumentIdentifier) :uri)))

(defun dp-lsp-derivation ()
  "Show what led to the bound at point."
  (interactive)
  (dp-lsp--run "dp-lsp.showDerivation"
               (plist-get (eglot--TextDocumentIdentifier) :uri) (eglot--pos-to-lsp-position)))

(defun dp-lsp-set (name number)
  "Give the static parameter NAME a NUMBER, as text; an empty one takes it back."
  (interactive "sParameter: \nsNumber (empty takes it back): ")
  (dp-lsp--run "dp-lsp.setParameter" (plist-get (eglot--TextDocumentIdentifier) :uri) name
               (if (string-empty-p number) :null number)))

(provide 'dp-lsp)
;;; dp-lsp.el ends here
