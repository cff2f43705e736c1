;;; emacsClient.el --- Uses client-emacs as a person does -*- lexical-binding: t -*-

;; Writes what a person would see as JSON to CONTEXTD_TEST_OUT.

;; Advice on a primitive would start the native compiler.
(defvar native-comp-enable-subr-trampolines)
(setq native-comp-enable-subr-trampolines nil)

(require 'json)
(require 'contextd)

(defvar seen nil)

(defun note (name value)
  "Store VALUE, which a person would see, under NAME."
  (push (cons name value) seen))

(defun eventually (what try)
  "Wait until TRY returns a value, and return it; WHAT names it in the error."
  (let ((deadline (+ (float-time) 60))
        value)
    (while (not (or (setq value (funcall try)) (> (float-time) deadline)))
      (accept-process-output nil 0.05))
    (or value (error "%s did not happen" what))))

(defun meter-like (pattern)
  "Wait until the meter matches PATTERN, and return it."
  (eventually (format "a meter like %s" pattern)
              (lambda ()
                (and (string-match-p pattern contextd--meter)
                     (substring-no-properties contextd--meter)))))

(defun error-of (command &rest arguments)
  "Return the text of the error that COMMAND signals with ARGUMENTS."
  (condition-case err
      (progn (apply command arguments) nil)
    (user-error (cadr err))))

(defun text-of (name)
  "Return the text of the buffer NAME."
  (with-current-buffer name (buffer-string)))

(defun run ()
  "Use each command."
  (let ((shown nil))
    (advice-add 'message :before
                (lambda (format &rest values)
                  (when format (push (apply #'format format values) shown))))
    (setq contextd-refresh-seconds 1)
    (contextd-mode 1)
    (note 'meter (meter-like "^ ctx [0-9]+% [0-9]+k$"))
    (note 'lighter (symbol-value (cadr (assq 'contextd-mode minor-mode-alist))))
    (contextd-usage)
    (note 'usage (text-of "*contextd*"))
    (find-file "readme.md")
    (cl-letf (((symbol-function 'y-or-n-p)
               (lambda (question) (note 'question question) t)))
      (contextd-compact))
    (note 'compacted (car shown))
    (note 'meter-after (meter-like "^ ctx [23][0-9]% "))
    (contextd-undo)
    (note 'undone (car shown))
    (meter-like (concat "^" (regexp-quote (cdr (assq 'meter seen))) "$"))
    (note 'nothing (error-of #'contextd-undo))
    (cl-letf (((symbol-function 'y-or-n-p) #'ignore))
      (contextd-compact))
    (note 'preview (text-of "*contextd preview*"))
    (note 'declined (error-of #'contextd-undo))
    (contextd-recall "SIGNATURE [bracket")
    (note 'row (buffer-substring-no-properties (point) (line-end-position)))
    (contextd-recall-open)
    (note 'message-name (buffer-name))
    (note 'message-at (buffer-substring-no-properties (point) (+ (point) 9)))
    (contextd-recall "zero")
    (note 'row-nul (buffer-substring-no-properties (point) (line-end-position)))
    (let ((filter (contextd--make-nul-filter)))
      (note 'pieces (mapconcat (lambda (piece) (cadr (funcall filter (list nil piece))))
                               '("a\\" "u00" "00\\n\\u0000\\u0000\\\\" "u0000 \\u00e4\\" "\\u0000" "") "")))
    (note 'not-found (error-of #'contextd-recall "zyxwvut"))
    (set-file-times (getenv "CONTEXTD_TEST_TRANSCRIPT") (time-add nil 7200))
    (meter-like "^ ctx 61% ")
    (find-file "readme.md")
    (contextd-compact)
    (note 'mirror (text-of "*contextd preview*"))
    (note 'mirror-undo (error-of #'contextd-undo))
    (let ((default-directory (concat (getenv "HOME") "/bin/")))
      (note 'elsewhere (error-of #'contextd-usage)))
    (contextd-mode -1)
    (note 'meter-off contextd--meter)
    (let ((contextd-command '("contextd-that-is-nowhere")))
      (note 'no-command (error-of #'contextd-usage)))
    (let ((contextd-command '("false")))
      (note 'ended (error-of #'contextd-usage)))))

(condition-case err
    (run)
  (error (note 'problem (format "%S" err))))
(with-temp-file (getenv "CONTEXTD_TEST_OUT")
  (insert (json-encode seen)))

;;; emacsClient.el ends here
