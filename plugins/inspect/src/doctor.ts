import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  Agent,
  Checkups,
  messageOf,
  tryAsync,
  type Checkup,
  type Command,
  type CommandContext,
  type Generation,
} from '@amodal/sdk'
import { MANIFEST_FILES } from '@amodal/sdk/files'
import { healthOf } from './health.ts'
import { installationOf } from './installation.ts'

/**
 * `amodal doctor`: checks whether the agent works on this machine with its configuration.
 *
 * @param generation whose plugins provide the command; they are set up and not booted
 */
export const doctorCommand = (generation: () => Generation): Command => ({
  summary: 'Check this machine, the database, the agent and the isolation of handlers',
  usage: 'amodal doctor [--dir PATH] [--preset NAME] [--json]',
  about: [
    'Looks at the machine and at the database that the agent is configured for: connection, rights, schema, settings, what is stuck.',
    'Nothing is migrated and nothing changed. Then it starts the agent without its server and its data, and runs the checks of each plugin.',
    'If the agent has handlers, a probe handler attempts what no handler may do, such as reading the environment of the server; the',
    'report lists what it reached. Exit code 1 on a problem.',
  ],
  examples: [
    ['amodal doctor --dir my-agent', 'checks that agent on this machine'],
    ['amodal doctor --preset production', 'says whether a server of production would start here'],
  ],
  options: { json: { type: 'boolean', description: 'Print the result as JSON' } },
  async run(context) {
    if (!isAgent(context.dir)) return nothingHere(context)
    const installation = await installationOf(generation(), context)
    const agent = await agentReport(context)
    const checkups = [...installation, ...agent.checkups]
    const { problems } = agent
    const ok = problems.length === 0 && checkups.every((one) => one.ok)
    const report: Report = { ok, problems, checkups }
    if (context.options['json'] === true) context.print(JSON.stringify(report, null, 2))
    else for (const line of linesOf(report)) context.print(line)
    return ok ? 0 : 1
  },
})

/** The path of a manifest. */
const isAgent = (dir: string): boolean => MANIFEST_FILES.some((file) => existsSync(join(dir, file)))

/** One clear sentence instead of a failure of each check that needs a folder. */
function nothingHere({ dir, options, print, program = 'amodal' }: CommandContext): number {
  const lines = [
    `there is no amodal.json in ${dir}`,
    `name the folder of the agent with --dir, or make one: ${program} init my-agent`,
  ]
  const checkups = [{ title: `No agent in ${dir}`, ok: false, lines }]
  if (options['json'] === true)
    print(JSON.stringify({ ok: false, problems: [], checkups }, null, 2))
  else for (const line of linesOf({ ok: false, problems: [], checkups })) print(line)
  return 1
}

async function agentReport({ start, signal }: CommandContext): Promise<Omit<Report, 'ok'>> {
  const started = await tryAsync(() => start({ without: ['http'], looking: true }), messageOf)
  if (started.ok) return reportOf(started.value.scope.get(Agent), started.value.current(), signal)
  const lines = started.error.split('\n')
  return { problems: [], checkups: [{ title: 'The agent does not start', ok: false, lines }] }
}

interface Report {
  readonly ok: boolean
  readonly problems: readonly string[]
  readonly checkups: readonly Checkup[]
}

async function reportOf(
  agent: Agent,
  generation: Generation,
  signal: AbortSignal,
): Promise<Omit<Report, 'ok'>> {
  const results = await Promise.all(
    [...generation.registry(Checkups)].map(async ([name, check]): Promise<readonly Checkup[]> => {
      const outcome = await tryAsync(() => check(signal), messageOf)
      if (!outcome.ok)
        return [{ title: name, ok: false, lines: [`it cannot be checked: ${outcome.error}`] }]
      return outcome.value ? [outcome.value] : []
    }),
  )
  const checkups = results.flat()
  const { problems = [] } = healthOf(agent, generation, 0).body
  const problemLines = Array.isArray(problems) ? problems.map(String) : []
  return { problems: problemLines, checkups }
}

function linesOf({ ok, problems, checkups }: Report): readonly string[] {
  return [
    ...checkups.flatMap(({ title, ok: good, lines }) => [
      `${good ? '✓' : '✗'} ${title}`,
      ...lines.map((line) => `    ${line}`),
    ]),
    ...problems.map((problem) => `✗ ${problem}`),
    ok ? 'Nothing is wrong.' : 'Something is wrong: see above.',
  ]
}
