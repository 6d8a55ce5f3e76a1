import { definePlugin, JobQueue, type Worker } from '@amodal/sdk'

/** Publishes and works on the queue `greetings`, for tests of workers. */
export const greetings = definePlugin({
  name: 'greetings',
  version: '1.0.0',
  requires: { queue: JobQueue },
  setup({ deps, onBoot, log }) {
    onBoot(() => {
      const worker = deps.queue.work({
        queue: 'greetings',
        concurrency: 3,
        handler: ({ id, data }) => {
          log.info('greetings.greeted', { job: id })
          return Promise.resolve(
            data['name'] === 'nobody'
              ? { kind: 'dead', reason: 'nobody is there' }
              : { kind: 'done' },
          )
        },
      })
      return () => stop(worker.ok ? worker.value : undefined)
    })
  },
})

const stop = async (worker: Worker | undefined): Promise<void> => worker?.stop(1_000)

export default greetings
