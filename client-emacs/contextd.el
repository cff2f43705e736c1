;;; contextd.el --- The context window of agents, measured and compacted -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT
;; Author: the contextd authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience

;;; Commentary:

;; `contextd-mode' shows in the mode line how full the context window of
;; your agent is.  `contextd-usage' shows what fills it, `contextd-compact'
;; compacts it, `contextd-undo' undoes that, and `contextd-recall' searches
;; it.  The commands act on the newest session of the current project, or
;; of the current folder outside of projects.
;;
;; The command "contextd" must be on the path.

;;; Code:

(require 'jsonrpc)
(require 'project)
(require 'subr-x)
(require 'tabulated-list)

(defgroup contextd nil
  "The context window of agents."
  :group 'tools)

(defcustom contextd-command '("contextd" "--stdio")
  "The command that connects to the daemon, with its arguments."
  :type '(repeat string))

(defcustom contextd-refresh-seconds 10
  "Seconds between two searches for a newer session."
  :type 'number)

(defcustom contextd-format-function #'contextd-format-meter
  "Function that returns the text of the meter.
Its argument is the result of context/stats, as a property list."
  :type 'function)

(defvar contextd-mode)

(defvar contextd--connection nil
  "The connection to the daemon, or nil.")

(defvar contextd--process nil
  "The process of the connection.")

(defvar contextd--session nil
  "The newest session, as session/newest returned it.")

(defvar contextd--meter ""
  "The text in the mode line.")
(put 'contextd--meter 'risky-local-variable t)

(defvar contextd--timer nil
  "The timer that searches for a newer session.")

(defconst contextd--max-matches 100
  "Maximum number of messages that a search lists.")

(defconst contextd--max-units 5000000
  "Maximum UTF-16 units of a shown message.")

(defconst contextd--timeout-seconds 120
  "Maximum seconds that a command waits for the daemon.")

;;;; The connection

(defun contextd--quiet-arguments ()
  "Return arguments that prevent a connection from logging messages."
  (if (boundp 'jsonrpc-event-hook)
      '(:events-buffer-config (:size 0))
    '(:events-buffer-scrollback-size 0)))

(defun contextd--folder ()
  "Return the current project's folder, or nil if it is remote.
Outside of projects, return the current folder."
  (let ((folder (if-let* ((project (project-current)))
                    (project-root project)
                  default-directory)))
    (unless (file-remote-p folder)
      (directory-file-name (expand-file-name folder)))))

(defun contextd--handle-notification (_connection method params)
  "Update the meter if METHOD reports a change of the session in PARAMS."
  (when (and (eq method 'context/didChange)
             (equal (plist-get params :sessionId)
                    (plist-get contextd--session :sessionId)))
    (contextd--measure)))

(defconst contextd--partial-escape "\\\\\\(?:u[[:xdigit:]]\\{0,3\\}\\)?\\'"
  "Regexp for an incomplete JSON escape at the end of a text.")

(defconst contextd--escape
  (concat "\\\\\\(?:u[[:xdigit:]]\\{4\\}\\|[^u]\\)\\|" contextd--partial-escape)
  "Regexp for a JSON escape, complete or incomplete.")

(defun contextd--make-nul-filter ()
  "Return a function to replace NUL with U+2400 in a stream of JSON.
The function takes and returns the arguments of a process filter, with
the same number of bytes.  Emacs before version 30 cannot read NUL in
JSON."
  (let ((rest ""))
    (pcase-lambda (`(,process ,text))
      (setq text (concat rest text)
            rest "")
      (list process
            (if (not (string-match-p (concat "\\\\u0000\\|" contextd--partial-escape) text))
                text
              (replace-regexp-in-string
               contextd--escape
               (lambda (escape)
                 (cond ((equal escape "\\u0000") "\\u2400")
                       ((eq 0 (string-match-p contextd--partial-escape escape))
                        (setq rest escape)
                        "")
                       (t escape)))
               text t t))))))

(defun contextd--start ()
  "Start the process and return the connection to it.
Requests can follow at once, because the daemon answers them in order."
  (unless (executable-find (car contextd-command))
    (user-error "Cannot find the command %s; install contextd, or set contextd-command"
                (car contextd-command)))
  (let* ((default-directory (or (contextd--folder) (expand-file-name "~/")))
         (process (make-process :name "contextd"
                                :command contextd-command
                                :connection-type 'pipe
                                :coding 'utf-8-emacs-unix
                                :noquery t
                                :stderr (get-buffer-create " *contextd log*")))
         (connection (apply #'make-instance 'jsonrpc-process-connection
                            :name "contextd"
                            :process process
                            :notification-dispatcher #'contextd--handle-notification
                            (contextd--quiet-arguments))))
    (setq contextd--process process)
    (when (< emacs-major-version 30)
      (add-function :filter-args (process-filter process) (contextd--make-nul-filter)))
    (when-let* ((log (get-buffer-process " *contextd log*")))
      (set-process-query-on-exit-flag log nil))
    (jsonrpc-async-request
     connection :initialize
     `(:processId ,(emacs-pid)
       :clientInfo (:name "Emacs" :version ,emacs-version)
       :rootUri nil
       :capabilities (:experimental (:contextd (:notifications t))))
     :success-fn (lambda (_)
                   (jsonrpc-notify connection :initialized (make-hash-table)))
     :error-fn #'ignore
     :timeout-fn #'ignore)
    connection))

(defun contextd--running-p ()
  "Return non-nil if the connection has a live process."
  (and contextd--connection (jsonrpc-running-p contextd--connection)))

(defun contextd--connect ()
  "Return the connection to the daemon, and start it if necessary."
  (unless (contextd--running-p)
    (setq contextd--connection (contextd--start)))
  contextd--connection)

(defun contextd--request (method params)
  "Send the request METHOD with PARAMS and return its result.
Signal an error of the daemon as a `user-error'."
  (condition-case err
      (jsonrpc-request (contextd--connect) method params
                       :timeout contextd--timeout-seconds)
    (user-error (signal (car err) (cdr err)))
    (error
     (unless (contextd--running-p)
       (user-error "Contextd has ended; run \"contextd doctor\" in a terminal"))
     (user-error "Contextd: %s"
                 (or (alist-get 'jsonrpc-error-message (cddr err))
                     (error-message-string err))))))

;;;; The meter

(defun contextd-format-tokens (tokens)
  "Return the number TOKENS in a few characters, such as 41k."
  (let ((sign (if (< tokens 0) "-" ""))
        (size (abs tokens)))
    (cond ((< size 1000) (format "%s%d" sign size))
          ((< size 999500) (format "%s%dk" sign (round size 1000)))
          (t (format "%s%.1fM" sign (/ size 1e6))))))

(defun contextd-format-meter (stats)
  "Return the meter for STATS, such as \"ctx 47% 71k\".
A tilde before the percentage says that the size of the window is a guess."
  (let ((is-guess (equal (plist-get (plist-get stats :limit) :of) "guess"))
        (left (- (plist-get stats :availableInputTokens)
                 (plist-get stats :estimatedInputTokens))))
    (format "ctx %s%d%% %s"
            (if is-guess "~" "")
            (round (* 100 (plist-get stats :usageRatio)))
            (contextd-format-tokens left))))

(defvar contextd--meter-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] #'contextd-usage)
    map)
  "Key bindings of the meter in the mode line.")

(defun contextd--show-meter (stats)
  "Show the meter for STATS; hide it if STATS is nil."
  (setq contextd--meter
        (if (null stats)
            ""
          (concat " " (propertize (funcall contextd-format-function stats)
                                  'help-echo "mouse-1: show what fills the context"
                                  'local-map contextd--meter-map))))
  (force-mode-line-update t))

(defun contextd--measure ()
  "Show the figures of the newest session in the meter."
  (let ((session contextd--session))
    (if (null session)
        (contextd--show-meter nil)
      (jsonrpc-async-request
       (contextd--connect) :context/stats
       `(:sessionId ,(plist-get session :sessionId))
       :success-fn (lambda (stats)
                     (when (and contextd-mode (eq session contextd--session))
                       (contextd--show-meter stats)))
       :error-fn #'ignore
       :timeout-fn #'ignore))))

(defun contextd--set-session (session)
  "Make SESSION the shown session, and close the previous one."
  (let ((last (plist-get contextd--session :sessionId)))
    (setq contextd--session session)
    (when (and last (not (equal last (plist-get session :sessionId))))
      (jsonrpc-async-request (contextd--connect) :session/close `(:sessionId ,last)
                             :success-fn #'ignore :error-fn #'ignore :timeout-fn #'ignore))))

(defun contextd--refresh ()
  "Find the newest session and update the meter, without waiting."
  (let ((folder (with-current-buffer (window-buffer) (contextd--folder))))
    (condition-case nil
        (if (null folder)
            (contextd--show-meter nil)
          (jsonrpc-async-request
           (contextd--connect) :session/newest `(:workspace ,folder)
           :success-fn (lambda (result)
                         (contextd--set-session (plist-get result :session))
                         (contextd--measure))
           :error-fn (lambda (_) (contextd--show-meter nil))
           :timeout-fn #'ignore))
      ;; The meter is hidden; commands report the error.
      (error (contextd--show-meter nil)))))

;;;###autoload
(define-minor-mode contextd-mode
  "Show in the mode line how full the context window of your agent is."
  :global t
  :lighter contextd--meter
  (when contextd--timer
    (cancel-timer contextd--timer)
    (setq contextd--timer nil))
  (if contextd-mode
      (setq contextd--timer
            (run-with-timer 0 contextd-refresh-seconds #'contextd--refresh))
    ;; There is no need to wait: the process ends after its last answer.
    (when (process-live-p contextd--process)
      (process-send-eof contextd--process))
    (setq contextd--connection nil
          contextd--session nil)
    (contextd--show-meter nil)))

;;;; The commands

(defun contextd--newest-session ()
  "Return the newest session of the current project or folder."
  (let* ((folder (or (contextd--folder)
                     (user-error "Contextd works only in folders of this machine")))
         (result (contextd--request :session/newest `(:workspace ,folder)))
         (session (plist-get result :session)))
    (contextd--set-session session)
    (or session (user-error "No agent has worked in %s yet" folder))))

(defun contextd--title (session)
  "Return the title of SESSION in one line."
  (let ((title (or (plist-get session :title) (plist-get session :sessionId))))
    (truncate-string-to-width
     (replace-regexp-in-string "[[:cntrl:]]+" " " title) 60 nil nil t)))

(defun contextd--columns ()
  "Return the columns of a report."
  (max 20 (min 100 (- (window-width) 2))))

(defun contextd--report (session about)
  "Return the report on SESSION; ABOUT is usage or compaction."
  (contextd--request :context/report
                     `(:sessionId ,(plist-get session :sessionId)
                       :about ,about
                       :columns ,(contextd--columns))))

(defvar contextd-usage-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "c" #'contextd-compact)
    (define-key map "u" #'contextd-undo)
    map)
  "Key bindings in the buffer of `contextd-usage'.")

(define-derived-mode contextd-usage-mode special-mode "Context"
  "Mode of the buffer of `contextd-usage'.
\\{contextd-usage-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (contextd-usage))))

(defun contextd--show (name session text)
  "Show TEXT about SESSION in the buffer NAME."
  (let ((folder default-directory)
        (advice (plist-get (plist-get session :mirror) :advice)))
    (with-current-buffer (get-buffer-create name)
      (contextd-usage-mode)
      (setq default-directory folder)
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (contextd--title session) "\n\n")
        (when advice
          (insert advice "\n\n"))
        (insert text)
        (goto-char (point-min))))
    (pop-to-buffer name)))

;;;###autoload
(defun contextd-usage ()
  "Show how full the newest session is, and what fills it."
  (interactive)
  (let ((session (contextd--newest-session)))
    (contextd--show "*contextd*" session
                    (plist-get (contextd--report session "usage") :text))))

;;;###autoload
(defun contextd-compact ()
  "Show what a compaction of the newest session would do, ask, and compact."
  (interactive)
  (let* ((session (contextd--newest-session))
         (report (contextd--report session "compaction")))
    (contextd--show "*contextd preview*" session (plist-get report :text))
    (when (and (eq (plist-get report :wouldCompact) t)
               (not (plist-get session :mirror))
               (y-or-n-p "Compact this session? "))
      (quit-window t (get-buffer-window "*contextd preview*"))
      (contextd--compact session))))

(defun contextd--compact (session)
  "Compact SESSION and show a message about the result."
  (let* ((id (plist-get session :sessionId))
         (result (with-temp-message "Compacting..."
                   (contextd--request :context/compact
                                      `(:sessionId ,id :includeMessages :json-false)))))
    (if (not (eq (plist-get result :compacted) t))
        (message "Nothing was compacted: %s"
                 (or (plist-get result :reason) (plist-get result :outcome)))
      (let ((stats (contextd--request :context/stats `(:sessionId ,id))))
        (message "Freed %s tokens: the context is %d%% full; M-x contextd-undo undoes it"
                 (contextd-format-tokens (plist-get result :tokensSaved))
                 (round (* 100 (plist-get stats :usageRatio))))))))

;;;###autoload
(defun contextd-undo ()
  "Undo the newest compaction of the newest session."
  (interactive)
  (let* ((session (contextd--newest-session))
         (id (plist-get session :sessionId))
         (mirror (plist-get session :mirror)))
    (when mirror
      (user-error "Contextd has nothing to undo: only %s can change this session"
                  (plist-get mirror :label)))
    (let ((undoable (plist-get (contextd--request :context/stats `(:sessionId ,id))
                               :undoable)))
      (unless undoable
        (user-error "There is nothing to undo"))
      (contextd--request :context/undo
                         `(:sessionId ,id
                           :compactionId ,(plist-get undoable :compactionId)))
      (message "Undid the newest compaction"))))

;;;; The search

(defvar-local contextd--words nil
  "The words whose messages the buffer lists.")

(defvar-local contextd--session-id nil
  "The session whose messages the buffer lists.")

(define-derived-mode contextd-recall-mode tabulated-list-mode "Recall"
  "Mode of the list of messages that contain words.
\\{contextd-recall-mode-map}"
  (setq tabulated-list-format [("Message" 12 t) ("From" 14 t) ("State" 8 t) ("Text" 0 nil)])
  (tabulated-list-init-header))

(define-key contextd-recall-mode-map (kbd "RET") #'contextd-recall-open)

(defun contextd--entry (match)
  "Return the row for MATCH, which context/recall returned."
  (let ((id (plist-get match :messageId)))
    (list id
          (vector id
                  (or (plist-get match :toolName) (plist-get match :role))
                  (if (eq (plist-get match :visible) t) "" "removed")
                  (replace-regexp-in-string "[[:space:][:cntrl:]]+" " "
                                            (plist-get match :excerpt))))))

;;;###autoload
(defun contextd-recall (words)
  "List the messages of the newest session that contain any of WORDS.
Messages that a compaction removed are listed too."
  (interactive "sSearch the context for: ")
  (let* ((session (contextd--newest-session))
         (id (plist-get session :sessionId))
         (folder default-directory)
         (result (contextd--request :context/recall
                                    `(:sessionId ,id :query ,words
                                      :limit ,contextd--max-matches)))
         (matches (append (plist-get result :matches) nil)))
    (unless matches
      (user-error "No message contains: %s" words))
    (with-current-buffer (get-buffer-create "*contextd recall*")
      (contextd-recall-mode)
      (setq default-directory folder
            contextd--words (split-string words)
            contextd--session-id id
            tabulated-list-entries (mapcar #'contextd--entry matches))
      (tabulated-list-print)
      (goto-char (point-min)))
    (pop-to-buffer "*contextd recall*")
    (message "%d of %d messages" (length matches) (plist-get result :total))))

(defun contextd-recall-open ()
  "Show the message of the current row, at the first of the words."
  (interactive)
  (let* ((id (or (tabulated-list-get-id) (user-error "There is no message in this line")))
         (words contextd--words)
         (name (format "*contextd message %s*" id))
         (result (contextd--request :context/original
                                    `(:sessionId ,contextd--session-id :messageId ,id
                                      :limit ,contextd--max-units))))
    (with-current-buffer (get-buffer-create name)
      (special-mode)
      (visual-line-mode)
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (plist-get result :content)))
      (goto-char (point-min))
      (let ((case-fold-search t))
        (when (re-search-forward (regexp-opt words) nil t)
          (goto-char (match-beginning 0)))))
    (pop-to-buffer name)))

(provide 'contextd)
;;; contextd.el ends here
