;;; checkClient.el --- Compiles and checks client-emacs -*- lexical-binding: t -*-

;; Ends with 1 if the compiler warns; checkdoc prints what it finds.  The compiled file goes to CONTEXTD_TEST_OUT.

(setq byte-compile-error-on-warn t
      byte-compile-dest-file-function (lambda (_) (getenv "CONTEXTD_TEST_OUT")))
(let ((file (car command-line-args-left)))
  (unless (byte-compile-file file)
    (kill-emacs 1))
  (checkdoc-file file))

;;; checkClient.el ends here
