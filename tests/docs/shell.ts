import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainStart, PLUGINS, readFolder } from '@amodal/presets'
import { Commands, isPlugin, startAgent, unwrap, use, type Entry } from '@amodal/sdk'
import { optionNames, stageNames } from '../../scripts/check.mjs'
import { ROOT, where, type Block } from './pages.ts'

const AGENT = join(ROOT, 'examples/ops-agent')

/** What a reader's machine has anyway, or what the page says is needed. */
const TOOLS: ReadonlySet<string> = new Set([
  'cat',
  'cd',
  'cp',
  'createdb',
  'curl',
  'echo',
  'export',
  'git',
  'kill',
  'mkdir',
  'openssl',
  'rm',
  'sleep',
])

export interface CommandLine {
  /** Scripts of `npm run`. */
  readonly scripts: ReadonlySet<string>
  /** Options of `amodal <command>`, those of every command included. */
  readonly commands: ReadonlyMap<string, ReadonlySet<string>>
}

/** Plugins that no preset lists, and that bring a command. */
async function optional(): Promise<readonly Entry[]> {
  const loaded = await PLUGINS['session-archive']?.()
  return isPlugin(loaded?.default) ? [use(loaded.default)] : []
}

/** What the command line of the repository understands, asked of itself. */
export async function commandLine(): Promise<CommandLine> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: object
  }
  const help = execFileSync(process.execPath, [join(ROOT, 'cli/dist/bin.js'), '--help'], {
    cwd: AGENT,
    encoding: 'utf8',
  })
  const everywhere = [...help.matchAll(/(?:(-\w), )?(--[\w-]+)/g)]
    .flatMap(([, short, long]) => [short, long])
    .filter((option) => option !== undefined)
  const folder = unwrap(await readFolder({ dir: AGENT, env: {} }), explainStart)
  const started = unwrap(
    await startAgent([...folder.entries, ...(await optional())], { ...folder.options, boots: [] }),
    explainStart,
  )
  const commands = [...started.kernel.current().registry(Commands)].map(([name, { options }]) => {
    const own = Object.entries(options).flatMap(([long, { short }]) => [
      `--${long}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ])
    return [name, new Set([...everywhere, '-vv', ...own])] as const
  })
  await started.close()
  return {
    scripts: new Set(Object.keys(scripts)),
    commands: new Map([
      ...commands,
      ['completion', new Set(everywhere)],
      ['docs', new Set(everywhere)],
    ]),
  }
}

/**
 * The commands of a shell text, each as its words, without comments and without assignments before
 * a command.
 */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  let word: string | undefined
  let quote: string | undefined
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word)
    word = undefined
  }
  const source = text.replaceAll(/\\\n/g, ' ')
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? ''
    if (quote !== undefined) {
      if (char === quote) quote = undefined
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (char === '#' && word === undefined) {
      const end = source.indexOf('\n', at)
      at = end === -1 ? source.length : end - 1
    } else if ('\n;|&'.includes(char)) {
      endWord()
      commands.push([])
    } else if (/\s/.test(char)) endWord()
    else word = (word ?? '') + char
  }
  endWord()
  return commands
    .map((words) => words.slice(words.findIndex((one) => !/^\w+=/.test(one))))
    .filter(([first]) => first !== undefined && !/^\w+=/.test(first))
}

/** Commands of a block that nobody has. */
export function shellProblems(block: Block, known: CommandLine): readonly string[] {
  return commandsOf(block.text).flatMap((words) => {
    const problem = problemOf(words, known)
    return problem === undefined ? [] : [`${where(block)}: ${problem}: ${words.join(' ')}`]
  })
}

function problemOf(
  [program = '', ...args]: readonly string[],
  known: CommandLine,
): string | undefined {
  if (program === 'npm') return npmProblem(args, known)
  // a package of others that a test uses as the page does
  if (program === 'npx')
    return existsSync(join(ROOT, 'tests/node_modules', args[0] ?? '')) ? undefined : 'not in a test'
  if (program === 'node')
    return args[0] !== undefined && existsSync(join(ROOT, args[0]))
      ? undefined
      : 'there is no such file to run'
  return TOOLS.has(program) ? undefined : 'an unknown program'
}

function npmProblem(
  [verb = '', ...rest]: readonly string[],
  known: CommandLine,
): string | undefined {
  // `npm create x` runs the package create-x, which is one of ours.
  if (verb === 'create')
    return existsSync(join(ROOT, `cli/create-${rest[0] ?? ''}`))
      ? undefined
      : `there is no package "create-${rest[0] ?? ''}"`
  // packages of ours, and those of others beside them
  if (verb === 'install' && rest.length > 0)
    return rest.some((name) => /(?:^|npm:)@amodal\//.test(name)) ? undefined : 'no package of ours'
  const name = verb === 'run' ? (rest[0] ?? '') : verb
  const [dashes, ...args] = verb === 'run' ? rest.slice(1) : rest
  if (!known.scripts.has(name)) return `there is no script "${name}"`
  if (dashes !== undefined && dashes !== '--')
    return 'npm takes options for itself unless `--` stands before them'
  switch (name) {
    case 'start':
      return amodalProblem(['dev', ...args], known)
    case 'amodal':
      return amodalProblem(args, known)
    case 'test':
      return args.map(testProblem).find((problem) => problem !== undefined)
    default:
      return undefined
  }
}

/** A stage, a plugin, or a path. */
function testProblem(name: string): string | undefined {
  return stageNames.includes(name) ||
    optionNames.includes(name) ||
    readdirSync(join(ROOT, 'plugins')).includes(name) ||
    existsSync(join(ROOT, name))
    ? undefined
    : `there is nothing to test by the name "${name}"`
}

function amodalProblem(
  [first = '', ...rest]: readonly string[],
  { commands }: CommandLine,
): string | undefined {
  if (first === '' || first === '--help') return undefined
  const isLong = commands.has(`${first} ${rest[0] ?? ''}`)
  const name = isLong ? `${first} ${rest[0] ?? ''}` : first
  const args = isLong ? rest.slice(1) : rest
  const options = commands.get(name)
  if (!options)
    return `there is no command "${name}" (there are: ${[...commands.keys()].join(', ')})`
  const unknown = args.find((arg) => /^--?[a-z]/.test(arg) && !options.has(arg.replace(/=.*/, '')))
  return unknown === undefined ? undefined : `"amodal ${name}" has no option ${unknown}`
}
