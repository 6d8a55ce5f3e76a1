import { Agent, Clock, definePlugin, JobQueue, Outbound, Secrets } from '@amodal/sdk'
import { Notifier } from './notifier.ts'
import { NOTICES, noticesOf, publishNotice } from './publish-notice.ts'
import { readTarget } from './target.ts'
import { Notices } from './tokens.ts'

/** Notices that are sent at the same time. */
const CONCURRENCY = 4
/** ms that a notice is given when the process stops. */
const GRACE_MS = 10_000

/**
 * Sends a signed webhook whenever a session waits for a person, with a link that opens it: `notify`
 * of `amodal.json` says where to.
 */
export const notify = definePlugin({
  name: 'notify',
  version: '0.1.0',
  reaches: { secrets: ['*'], hosts: ['*'] },
  requires: { agent: Agent, queue: JobQueue, outbound: Outbound, secrets: Secrets, clock: Clock },
  // One worker of a queue in a process: the old one stops before the new one begins.
  reload: 'exclusive',
  provides: [Notices],
  setup({ deps, hooks, log, onBoot, provide }) {
    const { queue, secrets } = deps
    provide(Notices, () => noticesOf(queue))
    hooks.bundle.load.tap((bundle) => readTarget(bundle, secrets))
    // Last: a question that a tap answers is put to nobody.
    hooks.confirm.ask.tap((question, run) => publishNotice(queue, log, question, run), {
      stage: 'last',
    })
    onBoot(() => {
      const notifier = new Notifier(deps)
      const worker = queue.work({
        queue: NOTICES,
        concurrency: CONCURRENCY,
        handler: (job, signal) => notifier.work(job, signal),
      })
      if (worker.ok) return () => worker.value.stop(GRACE_MS)
      log.error('notify.no_worker', { message: worker.error.message })
      return undefined
    })
  },
})

export default notify
