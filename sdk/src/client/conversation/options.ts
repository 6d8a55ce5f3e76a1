import type { SessionClient } from '../session-client.ts'
import type { ServerReach } from '../reachability.ts'
import type { SessionFile } from '../timeline/index.ts'
import type { SessionDetails } from '../types.ts'
import type { Outbox } from './outbox.ts'

export interface ConversationOptions {
  /** Default: a new one, which the server names with its first message. */
  readonly session?: string | undefined
  /** What is known of the session, such as from the server that has rendered the page. */
  readonly initial?: SessionDetails | undefined
  /** Whether the server answers. Default: every request finds out by itself. */
  readonly reach?: ServerReach
  /** Default: in memory, so that what was not delivered is lost with the page. */
  readonly outbox?: Outbox
}

/** How an effect of unknown outcome is settled. */
export type Settlement = Parameters<SessionClient['settle']>[2]

const UNENDED = 'It is settled once the run before it has ended.'
/** Why an effect is still unsettled. */
export const UNSETTLED: Readonly<Record<Settlement, string>> = {
  happened: UNENDED,
  not_happened: UNENDED,
  retry: 'It was made again, and its outcome is still unknown.',
}

/** What goes with a message. */
export interface SendOptions {
  readonly assets?: readonly SessionFile[]
  /** Texts by name that the model is given with it. */
  readonly context?: Readonly<Record<string, string>>
}
