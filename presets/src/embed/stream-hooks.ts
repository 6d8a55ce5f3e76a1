import {
  definePlugin,
  messageOf,
  type DoneReason,
  type Plugin,
  type PrincipalId,
  type RunId,
  type SessionId,
  type WireUsage,
} from '@amodal/sdk'

/** The turn that a call is about. */
export interface TurnFacts {
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
}

/**
 * What an embedding wants to know of its turns. A listener that fails is logged, and costs the turn
 * nothing.
 */
export interface StreamHooks {
  /** A line of the audit log is kept: JSON, and the hash that seals it. */
  readonly onAuditLog?: (line: { readonly body: string; readonly hash: string }) => void
  /** A turn has ended. */
  readonly onUsageReport?: (
    report: TurnFacts & { readonly reason: DoneReason; readonly usage: WireUsage },
  ) => void | Promise<void>
  /** The session has been kept with a turn that ended, or that waits for a person. */
  readonly onSessionPersist?: (
    kept: TurnFacts & { readonly waits: boolean },
  ) => void | Promise<void>
}

/** Listens to events for clients, which are emitted once they are committed. */
export function streamHooks({ onUsageReport, onSessionPersist }: StreamHooks): Plugin {
  return definePlugin({
    name: 'stream-hooks',
    version: '1.0.0',
    setup({ hooks, log }) {
      const call = (name: string, listener: () => void | Promise<void>): void =>
        void (async () => listener())().catch((cause: unknown) =>
          log.warn('stream_hook.failed', { hook: name, message: messageOf(cause) }),
        )
      hooks.event.sent.tap((event, { session, run, principal }) => {
        const turn: TurnFacts = { session, run, principal }
        switch (event.type) {
          case 'done': {
            const { reason, usage } = event
            if (onUsageReport && usage)
              call('onUsageReport', () => onUsageReport({ ...turn, reason, usage }))
            if (onSessionPersist)
              call('onSessionPersist', () => onSessionPersist({ ...turn, waits: false }))
            break
          }
          case 'ask_user':
          case 'ask_choice':
          case 'confirmation_required':
            if (onSessionPersist)
              call('onSessionPersist', () => onSessionPersist({ ...turn, waits: true }))
            break
          default:
            break
        }
      })
    },
  })
}
