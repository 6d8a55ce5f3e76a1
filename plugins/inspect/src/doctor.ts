import {
  Agent,
  Checkups,
  messageOf,
  tryAsync,
  type Checkup,
  type Command,
  type Generation,
} from '@amodal/sdk'
import { healthOf } from './health.ts'

/**
 * `amodal doctor`: whether the agent would fare well on this machine, and what keeps its code
 * apart.
 */
export const doctorCommand: Command = {
  summary: 'Check this machine: what does not work, and what keeps handlers apart',
  usage: 'amodal doctor [--dir PATH] [--preset NAME] [--json]',
  about: [
    'Starts the agent without its server and asks each plugin how it fares. Where the agent has handlers, one is started that tries',
    'what none may do, such as reading the environment of the server; what it reached is told. Exit code 1 where something is wrong.',
  ],
  examples: [
    ['amodal doctor --dir my-agent', 'checks that agent on this machine'],
    ['amodal doctor --preset production', 'says whether a server of production would start here'],
  ],
  options: { json: { type: 'boolean', description: 'Print the result as JSON' } },
  async run({ start, options, print, signal }) {
    const kernel = await start({ without: ['http'], looking: true })
    const report = await reportOf(kernel.scope.get(Agent), kernel.current(), signal)
    if (options['json'] === true) print(JSON.stringify(report, null, 2))
    else for (const line of linesOf(report)) print(line)
    return report.ok ? 0 : 1
  },
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
): Promise<Report> {
  const made = await Promise.all(
    [...generation.registry(Checkups)].map(async ([name, check]): Promise<readonly Checkup[]> => {
      const said = await tryAsync(() => check(signal), messageOf)
      if (!said.ok)
        return [{ title: name, ok: false, lines: [`it cannot be checked: ${said.error}`] }]
      return said.value ? [said.value] : []
    }),
  )
  const checkups = made.flat()
  const { problems = [] } = healthOf(agent, generation, 0).body
  const told = Array.isArray(problems) ? problems.map(String) : []
  return { ok: told.length === 0 && checkups.every(({ ok }) => ok), problems: told, checkups }
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
