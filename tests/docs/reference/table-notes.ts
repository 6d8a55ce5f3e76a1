/** What each table holds. The page of tables is not made while one is missing or too many. */
export const TABLE_NOTES: Readonly<Record<string, string>> = {
  agent_runs_run:
    'Runs that were started: what was asked for, under which key, and how each ended.',
  agent_runs_artifact: 'Versions of what runs have made, each with its citations.',
  assets_content: 'Files that people have sent, each once, by its hash.',
  assets_chunk: 'The bytes of a file, in pieces.',
  assets_claim: 'Who has sent a file, and as what.',
  assets_hold: 'Sessions that have a message with a file.',
  assets_removal: 'Bytes outside of the database that are to be removed, and when.',
  agent_runs_content: 'The contents of artifacts, each once, by its hash.',
  audit_head: 'The end of the audit log of each tenant: its number, its hash and its signature.',
  audit_line: 'Lines of the audit log, each with the hash that chains it to the one before.',
  auth_key: 'API keys, by a digest: the key itself is kept nowhere.',
  connect_mcp_secret:
    'What MCP servers have given to those who signed in, and logins that have begun: each encrypted under the master key.',
  deploy_snapshot: 'Snapshots of the agent that were pushed, each as the archive that was sent.',
  deploy_pointer: 'Which snapshot new sessions get, and which share of them another one.',
  deploy_event: 'Who has pushed, promoted and rolled back which snapshot, and when.',
  experiments_run:
    'Runs of sessions that take part in an experiment: the variant, how they ended and what they cost.',
  experiments_decision: 'Which experiments were stopped or promoted, and by whom.',
  feedback_entry:
    'What people think of answers, each with the beginnings of the question and of the answer.',
  tools_versions_tool:
    'Versioned tools of an organization, and the publication of each that is in progress.',
  tools_versions_variable:
    'Environment variables of versioned tools. Secrets are encrypted under the master key.',
  tools_versions_version:
    'Versions of tools: where the code comes from, its schemas, and who published it.',
  tools_versions_archive: 'The code of versions, each archive once, by the hash of its files.',
  tools_versions_invocation:
    'Runs of versioned tools: input, output or error, without secrets of the tool.',
  usage_alert: 'shares of budgets of which somebody was told',
  usage_run:
    'A row for each run that has ended: its tokens, cost, times and errors by model and tool.',
  usage_tenant: 'Tenants whose runs are counted, and up to when rows and journal were compared.',
  knowledge_document: 'Documents of knowledge that people have approved, of each tenant.',
  limits_window: 'How often something was asked for in the current window of time.',
  limits_budget: 'What was used of each budget, and what is set aside for runs in progress.',
  limits_hold: 'What is set aside for one run, until it says what it used.',
  queue_database_job:
    'Jobs, from when they are published until their key is forgotten; dead letters.',
  queue_database_worker: 'Processes that run jobs, and until when they are taken to be alive.',
  memory_note: 'What the agent keeps from one conversation to the next.',
  automations_rule:
    'An automation: up to when its due times are settled, whether it is paused, how often it failed.',
  automations_run: 'Runs of automations: what they were told, how they ended.',
  automations_delivery: 'Results on their way to a target, and dead letters.',
  automations_attempt: 'Each attempt at a delivery, and what was answered.',
  automations_gone: 'Targets that have said that they are gone.',
  evals_run: 'Runs of evals: what was asked for, and how they ended.',
  evals_result: 'What each trial of a run came to; of a place in its plan the first one counts.',
  evals_judgement: 'Replies of judges, by what they were asked.',
  evals_trial: 'Tenants of trials that have not been emptied yet.',
  sessions_lane:
    'A session: its owner and lease, its head, its counts, its state and what is shown of it.',
  sessions_journal: 'Journals: a row for each commit, with its entries.',
  sessions_shared: 'State of the agent, which all sessions of a tenant share.',
  sessions_inbox:
    'Messages and controls that were accepted, until a run takes them and for a while after.',
  stores_database_document: 'The newest version of each document of a store.',
  stores_database_version: 'Earlier versions of documents, where the store keeps a history.',
  stores_database_call:
    'Writes that were made, by the key of the call, so that repeating one changes nothing.',
  stores_database_value:
    'Values of documents, one row each: the index by which stores are searched.',
  workspace_blob: 'contents of files of workspaces, once for each tenant',
  workspace_snapshot: 'what the workspace of a session held after a call',
}
