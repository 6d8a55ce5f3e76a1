import type { HookName } from '@amodal/sdk'

/** The hooks of the six states differ in the state alone, so one note speaks for all of them. */
export type NotedHook =
  | Exclude<HookName, `state.enter.${string}` | `state.leave.${string}`>
  | 'state.enter'
  | 'state.leave'

/** When each hook is called, and what may come back. A hook without a note does not compile. */
export const HOOK_NOTES: Readonly<Record<NotedHook, string>> = {
  'bundle.load':
    "The agent's files have been read, and before they are checked and used. May return a bundle with more or other parts.",
  'bundle.check':
    'After `bundle.load`. Push problems into `issues`: at a start an `error` makes `/health` say `degraded`, and the bundle still serves; later the files in use stay instead.',
  'bundle.used': "The files that were checked are the agent's from now on: the next turn has them.",
  'http.routes':
    'The server puts its routes together, once per generation. Call `routes.mount(prefix, { fetch })`.',
  'session.open':
    'A message came in, before it is accepted. May complete `title` and `meta`; tenant, session and principal stay what they are.',
  'session.close': 'A session became idle, expired or was removed; `reason` says which.',
  'journal.write':
    'Before an entry is staged. May return the entry with other texts, such as masked ones. Arguments that are changed here are kept sealed for the executor.',
  'run.start':
    'The message is staged and no model was asked. Return `{ deny: true, reason, message }` to end the run.',
  'run.end': 'After the last commit of a run.',
  'prompt.compile':
    "The sections are collected, before they become text. May return a draft with other sections; one that is new has the name of the tap's plugin, and one that is changed has it in `changedBy`.",
  'tools.list':
    'The tools of the turn are collected, before the model is told of them. May return fewer or others; what is not in the list cannot be called.',
  'state.enter':
    'Before the handler of that state runs. Return another state to go there instead; only legal moves, and eight redirects a step at most.',
  'state.leave':
    'After the handler of that state, before anything is committed. May return an exit with another target or with more entries.',
  'state.changed': 'The run moved from one state to another.',
  'model.route':
    'Before a model call is prepared. Return `{ provider, model }` to choose another model.',
  'model.call':
    'Before a model call is made. May return a call with other messages, settings or tools.',
  'model.open':
    'Before a model call is sent. May return `{ open() }`: another model, or the same one with something around it.',
  'model.stream':
    'A model call begins. Return `{ push(part), flush() }`: a transform through which every part goes, on its way to the reader and to the journal alike.',
  'model.done': 'A model call ended well.',
  'model.failed':
    "A model call failed, also in the middle of its stream. Return `{ action: 'retry', afterMs, config? }` to try again, with another model if you like.",
  'tool.call':
    'The arguments were parsed, before they are frozen. May return a call with other arguments.',
  'tool.guard':
    'Sees the frozen call. Return `verdict.raise(level, reason)`, where `confirm` and `review` ask a person and `deny` refuses; return nothing to have no opinion.',
  'tool.result':
    'A tool has answered, before the journal and the model see it. May return a changed result.',
  'tool.done': 'A tool call is settled.',
  'confirm.ask': 'The run is about to wait for a person. Return `{ answer }` to answer at once.',
  'dispatch.start': 'Before a sub-agent runs. Return `{ deny: true, message }` to refuse.',
  'event.emit':
    'Before an event reaches its readers. May return the event with other content, of the same type.',
  'event.sent': 'An event was handed to its readers.',
  'event.runtime':
    "A session, a store, an automation or the agent's files changed. Whoever changes it calls this; `GET /api/events` is made of these.",
  'kernel.drain':
    'The kernel is about to close: take no more work. A tap that waits for longer says so: `tap(fn, { timeoutMs })`.',
  'kernel.failed':
    'A tap, a factory or a teardown of a plugin failed; the error names the plugin, the phase and the place.',
}

/** What the values in the signatures are, where the name does not say it. */
export const WORDS: Readonly<Record<string, string>> = {
  ctx: 'the run: `tenant`, `session`, `run`, `principal`, `roles`, `delegated`, `bundle`, `step`, `usage`, `messages`, `sessionState`, `redacted`, `lease`, `signal`, `log`, `scope`, `progress`',
  bundle: "the agent's files, immutable",
  verdict: 'what the guards have said so far: `level`, `reasons`, `raise()`',
  call: 'a `PreparedCall` (`id`, `tool`, `args`) in `tool.*`, a `ModelCall` (`config`, `system`, `messages`, `tools`, `settings`) in `model.*`',
}
