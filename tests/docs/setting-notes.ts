import type { RuntimeSettings } from '@amodal/plugin-loop'

/**
 * What each setting of the loop does; one without a note does not compile. `Ms` is milliseconds.
 */
export const SETTING_NOTES: Readonly<Record<keyof RuntimeSettings, string>> = {
  leaseMs:
    'how long a session stays owned without a commit or a heartbeat; a heartbeat goes out every third of it',
  marginMs: 'how long after its end a lease may be taken over',
  stalenessMs: 'a live owner without any progress for this long gives up its run',
  sweepMs: 'how often an instance looks for sessions whose owner is gone',
  suspectMs:
    'how long runs of a lost owner have to go well, unless they make progress, before the next ones are picked up',
  trialMs: 'how long a run that was lost again runs before others begin beside it',
  maxCrashes:
    'crashes without progress after which a run is set aside, also where no trial has shown that it is to blame',
  pollMs: 'how often a reader looks into the journal for what another instance wrote',
  firstPartMs: 'from the call of a model to the first part of its reply',
  stallMs: 'between two parts of a reply',
  storeMs: 'one request to the session store',
  toolMs: 'one tool call, where the tool says nothing else',
  maxToolCalls: 'tool calls of one run, where `limits.maxToolCalls` says nothing else',
  maxTurns: 'model calls of one run, where `limits.maxTurns` says nothing else',
  parallelCalls: 'read-only tool calls that run at the same time',
  residentBytes:
    'bytes of memory that the histories of idle sessions may take, all together, by an estimate; a session beyond that is read from the journal again',
  outputChars: 'characters of one tool result that are kept; the rest is cut with a marker',
  replyChars: 'characters of one reply; a longer one is cut',
  fileBytes:
    'bytes of files that one model call has at most: the newest come first, and of the others the model is told that they are there',
  queue: 'messages that may wait in one session',
  drainMs: 'how long a server that stops waits for its runs',
  sessionTtlMs: 'without a message for this long a session is idle; 0: never',
  retention:
    'how long sessions are kept, by kind and by tenant: [sessions grow old](#sessions-grow-old)',
}
