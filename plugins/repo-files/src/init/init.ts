import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import {
  err,
  messageOf,
  ok,
  tryAsync,
  type CommandContext,
  type Generation,
  type Result,
} from '@amodal/sdk'
import { MANIFEST_FILES } from '@amodal/sdk/files'
import { Answers } from './answers.ts'
import { AUTO, chosenOf, startersOf, type Starter } from './providers.ts'
import { filesOffered, offersOf } from './offers.ts'
import { starterFiles } from './starter-files.ts'
import { writeFolder, type Written } from './write-folder.ts'

/** Makes the folder of an agent, and says what to do next. */
export async function init(context: CommandContext, generation: Generation): Promise<number> {
  const {
    arguments: [given, ...more],
    fail,
    interactive = false,
    options,
    print,
    signal,
  } = context
  if (more.length > 0)
    return refuse(
      context,
      `one folder is made, not ${more.length + 1}: put a name of several words into quotes`,
    )
  const isSaid = options['name'] !== undefined && options['provider'] !== undefined
  const answers = interactive && !isSaid ? new Answers(context) : undefined
  const isAsked =
    answers &&
    given === undefined &&
    options['dir'] === undefined &&
    (await holdsFiles(context.dir))
  const folder = isAsked
    ? await answers.text(
        'This folder holds other files. Folder of the agent (. for this one)',
        'my-agent',
      )
    : given
  if (isAsked && folder === undefined) return left(context)
  const dir = resolve(context.dir, folder ?? '.')
  const there = MANIFEST_FILES.find((file) => existsSync(join(dir, file)))
  if (there !== undefined) {
    fail(`There is an agent in ${dir} already (${there}). Nothing was changed.`)
    return 1
  }
  const starters = startersOf(generation)
  const offers = offersOf(generation, options)
  if (!offers.ok) return refuse(context, offers.error)
  const wanted = await wishes(context, dir, starters, answers)
  if (signal.aborted || wanted === 'left') return left(context)
  if (!wanted.ok) return refuse(context, wanted.error)
  const { name, provider } = wanted.value
  const files = [
    ...(await filesOffered(offers.value, answers)),
    // The manifest comes last.
    ...starterFiles(name, provider),
  ]
  const written = await tryAsync(() => writeFolder(dir, files), messageOf)
  if (!written.ok) {
    fail(
      `UNREADABLE: ${dir} cannot be written: ${written.error}. Choose another folder, or correct its permissions`,
    )
    return 1
  }
  for (const line of toldOf(dir, name, written.value)) print(line)
  const parent = options['dir']
  const place =
    folder !== undefined && typeof parent === 'string' ? join(parent, folder) : (folder ?? parent)
  for (const line of nextSteps(
    provider,
    starters,
    typeof place === 'string' ? place : '.',
    context.program ?? 'amodal',
  ))
    print(line)
  return 0
}

function refuse({ fail }: CommandContext, message: string): number {
  fail(`amodal init: ${message}`)
  return 2
}

function left({ fail }: CommandContext): number {
  fail('Nothing was written.')
  return 130
}

const holdsFiles = async (dir: string): Promise<boolean> =>
  (await readdir(dir).catch(() => [])).some((name) => !name.startsWith('.'))

interface Wishes {
  readonly name: string
  readonly provider: Starter | undefined
}

/** What the command line says; what it leaves out a person is asked, where there is one. */
async function wishes(
  { options }: CommandContext,
  dir: string,
  starters: readonly Starter[],
  answers: Answers | undefined,
): Promise<Result<Wishes, string> | 'left'> {
  const given = { name: options['name'], provider: options['provider'] }
  const usual = basename(dir) === '' ? 'my-agent' : basename(dir)
  const known = typeof given.provider === 'string' ? chosenOf(given.provider, starters) : undefined
  if (known?.ok === false) return known // before anybody answers questions for nothing
  let name: string | undefined = usual
  if (typeof given.name === 'string') name = given.name.trim()
  else if (answers) name = await answers.text('Name of the agent', usual)
  if (name === undefined) return 'left'
  if (name === '') return err('--name: an agent needs a name')
  const provider =
    answers && !known ? await answers.choice('Whose models does it use?', choices(starters)) : AUTO
  if (provider === undefined) return 'left'
  const chosen = known ?? chosenOf(provider, starters)
  return chosen.ok ? ok({ name, provider: chosen.value }) : chosen
}

const choices = (
  starters: readonly Starter[],
): readonly (readonly [name: string, about: string])[] => [
  [AUTO, 'the first of these whose key is set; without one, a demo model'],
  ...starters.map(
    ({ name, variable, keySet }) => [name, `${variable}${keySet ? ', which is set' : ''}`] as const,
  ),
]

const toldOf = (dir: string, name: string, { made, kept }: Written): readonly string[] => [
  `✓ ${name}: ${dir}`,
  ...summarized(made).map((path) => `  ${path}`),
  ...kept.map((path) => `  ${path}  (was there, and is kept)`),
]

/** The files of a folder are counted where they are many. */
function summarized(paths: readonly string[]): readonly string[] {
  const folders = Map.groupBy(paths, dirname)
  return [...folders]
    .flatMap(([folder, files]) =>
      folder !== '.' && files.length > MOST_LISTED
        ? [`${folder}/  (${files.length} files)`]
        : files,
    )
    .toSorted()
}

/** Files of one folder that are listed by their names. */
const MOST_LISTED = 3

function nextSteps(
  provider: Starter | undefined,
  starters: readonly Starter[],
  place: string,
  program: string,
): readonly string[] {
  const dir =
    place === '.' ? '' : ` --dir ${/[^\w./-]/.test(place) ? JSON.stringify(place) : place}`
  const env = join(place, '.env')
  const isKeySet = provider ? provider.keySet : starters.some(({ keySet }) => keySet)
  const key = provider
    ? `Put ${provider.variable}=… into ${env}.`
    : `For a real model, put a key into ${env}, such as ${starters[0]?.variable ?? 'ANTHROPIC_API_KEY'}=….`
  return [
    '',
    'What next:',
    ...(isKeySet ? [] : [`  ${key}`]),
    `  ${program} validate${dir}   checks it`,
    `  ${program} chat${dir}       talks to it here`,
    `  ${program} dev${dir}        serves it over HTTP`,
  ]
}
