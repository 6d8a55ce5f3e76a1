import {
  JobQueue,
  type Command,
  type CommandContext,
  type DeadJob,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

const ACTIONS = ['list', 'dead', 'redrive'] as const
type Action = (typeof ACTIONS)[number]
const isAction = (word: string): word is Action => ACTIONS.some((action) => action === word)

/** Characters of the data of a dead letter that are shown. */
const SHOWN_DATA = 200

/** `amodal ops queue [list | dead QUEUE | redrive QUEUE (ID… | --all)]`. */
export const queueCommand: Command = {
  summary: 'Show jobs and dead letters, and run dead letters again',
  usage:
    'amodal ops queue [list [QUEUE] | dead QUEUE [--limit N] [--after CURSOR] | redrive QUEUE (ID … | --all)] [--json]',
  about: [
    'A job that failed for good is a dead letter: it stays with its reason until it is run again or forgotten. `redrive` gives it all its',
    'attempts again, at once and without its deadline.',
  ],
  examples: [
    ['amodal ops queue', 'how many jobs of each queue wait, run and are dead'],
    ['amodal ops queue dead deliveries', 'the dead letters of a queue, latest first'],
    ['amodal ops queue redrive deliveries --all', 'run all of them again'],
  ],
  options: {
    all: { type: 'boolean', description: 'redrive: every dead letter of the queue' },
    limit: { type: 'string', description: 'dead: how many to show', default: '20' },
    after: { type: 'string', description: 'dead: the cursor that the page before ends with' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const [action = 'list', queue, ...ids] = context.arguments
    const wrong = problemOf(context, action, queue, ids)
    if (wrong !== undefined || !isAction(action)) {
      context.fail(wrong ?? `"${action}" is no action: ${ACTIONS.join(', ')}`)
      return 2
    }
    const kernel = await context.start({ only: ['queue-database'], without: ['http'] })
    const jobs = kernel.scope.get(JobQueue)
    const done = await ACT[action]({ jobs, queue, ids, context })
    if (done.ok) {
      context.print(done.value)
      return 0
    }
    context.fail(`${done.error.code}: ${done.error.message}`)
    return 1
  },
}

function problemOf(
  { options }: CommandContext,
  action: string,
  queue: string | undefined,
  ids: readonly string[],
): string | undefined {
  if (action === 'list') return undefined
  if (queue === undefined) return `name a queue: amodal ops queue ${action} QUEUE`
  if (action === 'redrive' && (options['all'] === true) === ids.length > 0)
    return 'name the dead letters, or all of them: amodal ops queue redrive QUEUE (ID … | --all)'
  return limitOf(options['limit']) === undefined ? '--limit is a number from 1 to 1000' : undefined
}

function limitOf(text: unknown): number | undefined {
  const limit = Number(text)
  return Number.isInteger(limit) && limit >= 1 && limit <= 1_000 ? limit : undefined
}

interface Given {
  readonly jobs: JobQueue
  readonly queue: string | undefined
  readonly ids: readonly string[]
  readonly context: CommandContext
}

const ACT: Readonly<Record<Action, (given: Given) => Promise<Result<string, Failure>>>> = {
  async list({ jobs, queue, context: { options, signal } }) {
    const counts = await jobs.counts(queue, signal)
    if (!counts.ok) return counts
    const rows = [...counts.value].map(([name, of]) => ({ queue: name, ...of }))
    if (options['json'] === true) return { ok: true, value: JSON.stringify({ queues: rows }) }
    const lines = rows.map(
      ({ queue: name, waiting, delayed, active, dead }) =>
        `${name.padEnd(28)} ${[waiting, delayed, active, dead].map((n) => String(n).padStart(9)).join('')}`,
    )
    const head = `${'queue'.padEnd(28)} ${['waiting', 'delayed', 'active', 'dead'].map((n) => n.padStart(9)).join('')}`
    return { ok: true, value: rows.length === 0 ? 'No jobs.' : [head, ...lines].join('\n') }
  },
  async dead({ jobs, queue = '', context: { options, signal } }) {
    const after = options['after']
    const page = await jobs.dead(
      queue,
      {
        limit: limitOf(options['limit']) ?? 20,
        ...(typeof after === 'string' && { after }),
      },
      signal,
    )
    if (!page.ok) return page
    if (options['json'] === true) return { ok: true, value: JSON.stringify(page.value) }
    const { jobs: dead, next } = page.value
    if (dead.length === 0) return { ok: true, value: `No dead letters in ${queue}.` }
    const more = next === undefined ? [] : [`More: amodal ops queue dead ${queue} --after ${next}`]
    return { ok: true, value: [...dead.map(textOf), ...more].join('\n') }
  },
  async redrive({ jobs, queue = '', ids, context: { options, signal } }) {
    const done = await jobs.redrive(queue, options['all'] === true ? 'all' : ids, signal)
    if (!done.ok) return done
    return {
      ok: true,
      value:
        options['json'] === true
          ? JSON.stringify(done.value)
          : `${done.value.redriven} of ${queue} begin again.`,
    }
  },
}

const textOf = (job: DeadJob): string =>
  [
    `${job.id}  ${new Date(job.diedAt).toISOString()}  ${job.attempts} attempts${job.tenant === undefined ? '' : `  tenant ${job.tenant}`}`,
    `  ${job.reason}`,
    `  ${textStart(JSON.stringify(job.data), SHOWN_DATA)}`,
  ].join('\n')
