;;; stats.el --- Prints how full a session's window is -*- lexical-binding: t -*-

;; emacs --batch -l stats.el
;; CONTEXTD names the command, by default `contextd'.

(require 'jsonrpc)

(let* ((command (or (getenv "CONTEXTD") "contextd"))
       (connection
        (make-instance 'jsonrpc-process-connection
                       :name "contextd"
                       :process (lambda ()
                                  (make-process :name "contextd"
                                                :command (list command "--stdio")
                                                :connection-type 'pipe
                                                :stderr (get-buffer-create "*contextd log*")
                                                :noquery t)))))
  (jsonrpc-request connection :initialize
                   (list :processId (emacs-pid) :rootUri nil :capabilities (make-hash-table)))
  (jsonrpc-notify connection :initialized (make-hash-table))
  (jsonrpc-request connection :session/open '(:sessionId "from-elisp" :model "claude-sonnet-4-5"))
  (jsonrpc-request connection :session/append
                   '(:sessionId "from-elisp"
                     :messages [(:id "m1" :role "user" :content "Why does the build fail?")]))
  (let ((stats (jsonrpc-request connection :context/stats '(:sessionId "from-elisp"))))
    (princ (format "%d of %d tokens\n"
                   (plist-get stats :estimatedInputTokens)
                   (plist-get stats :availableInputTokens))))
  (jsonrpc-request connection :shutdown nil)
  (jsonrpc-notify connection :exit nil))

;;; stats.el ends here
