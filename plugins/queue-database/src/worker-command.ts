import { JobQueue, onAbort, use, type Command, type Plugin, type WorkerFacts } from '@amodal/sdk'

interface WorkerConfig {
  readonly work: true | readonly string[]
  readonly concurrency?: number
}

/**
 * `amodal worker`: runs jobs and serves no HTTP.
 *
 * @param queue the plugin of the queue, to say what this process works on
 */
export const workerCommand = (queue: () => Plugin): Command => ({
  summary: 'Run jobs, and serve no HTTP',
  usage: 'amodal worker [--queues NAME,NAME] [--concurrency N]',
  about: [
    'Takes jobs of the queues of this agent until the process is stopped; then it hands over what is running. Any number of workers share',
    'the work. Servers take jobs as well, unless `plugins` of amodal.json has',
    '{ "use": "queue-database", "config": { "work": false } }: then workers alone do.',
  ],
  examples: [
    ['amodal worker --preset production', 'work on every queue'],
    ['amodal worker --queues deliveries --concurrency 4', 'on one of them, four jobs at a time'],
  ],
  options: {
    queues: { type: 'string', description: 'The queues to take jobs of; all where left out' },
    concurrency: { type: 'string', description: 'Jobs of one queue at the same time at most' },
  },
  async run({ options, print, fail, start, signal }) {
    const concurrency = numberOf(options['concurrency'])
    if (concurrency === 'wrong') {
      fail('--concurrency is a whole number from 1')
      return 2
    }
    const queues = namesIn(options['queues'])
    const config: WorkerConfig = {
      work: queues ?? true,
      ...(concurrency !== undefined && { concurrency }),
    }
    const kernel = await start({ without: ['http'], entries: [use<Plugin>(queue(), config)] })
    const workers = kernel.scope.get(JobQueue).workers()
    const known = workers.map((worker) => worker.queue)
    const unknown = (queues ?? []).filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      fail(
        `nothing works on ${unknown.join(', ')}; the queues of this agent are: ${known.join(', ') || 'none'}`,
      )
      return 2
    }
    print(textOf(workers))
    await new Promise<void>((resolve) => {
      onAbort(signal, resolve)
    })
    print('Stopping: running jobs are handed over.')
    return 0
  },
})

function textOf(workers: readonly WorkerFacts[]): string {
  const taking = workers.filter(({ takes }) => takes)
  return taking.length === 0
    ? 'No plugin of this agent works on a queue.'
    : `Working on ${taking.map(({ queue, concurrency }) => `${queue} (${concurrency})`).join(', ')}.`
}

function numberOf(text: unknown): number | 'wrong' | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= 1 ? number : 'wrong'
}

function namesIn(text: unknown): readonly string[] | undefined {
  if (typeof text !== 'string') return undefined
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
