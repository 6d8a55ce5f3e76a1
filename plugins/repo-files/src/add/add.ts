import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  err,
  messageOf,
  ok,
  tryAsync,
  type BundleIssue,
  type CommandContext,
  type Generation,
  type Result,
} from '@amodal/sdk'
import { MANIFEST_FILES } from '@amodal/sdk/files'
import { FolderCheck, PartStarters, type PartStarter, type StarterFile } from '../tokens.ts'

/** Names of folders and files, also where they become names of tools. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * Writes a part, and says what the agent's check finds in its files.
 *
 * @returns the exit code: 0 written, 1 something stopped it, 2 the command line was wrong
 */
export async function addPart(context: CommandContext, generation: Generation): Promise<number> {
  const { dir, fail, print, program = 'amodal' } = context
  const request = readRequest(context, generation)
  if (!request.ok) {
    fail(`amodal add: ${request.error}`)
    return 2
  }
  const { name, starter } = request.value
  if (!MANIFEST_FILES.some((file) => existsSync(join(dir, file)))) {
    fail(`There is no agent in ${dir}. Make one with: ${program} init`)
    return 1
  }
  const { options, signal } = context
  const part = await starter.part({ name, options, signal })
  if (!part.ok) {
    fail(`amodal add: ${part.error}`)
    return 1
  }
  const written = await writeAll(dir, part.value.files)
  if (!written.ok) {
    fail(written.error)
    return 1
  }
  for (const { path } of part.value.files) print(`✓ ${path}`)
  const paths = new Set(part.value.files.map(({ path }) => path))
  const issues = (await generation.scope.find(FolderCheck)?.check(dir, signal)) ?? []
  for (const issue of issues.filter(({ file }) => file !== undefined && paths.has(file)))
    print(lineOf(issue))
  for (const step of part.value.next ?? [])
    print(`  ${step.replaceAll('`amodal ', `\`${program} `)}`)
  return 0
}

interface Request {
  readonly name: string
  readonly starter: PartStarter
}

function readRequest(
  { arguments: [kind, name, ...more], options }: CommandContext,
  generation: Generation,
): Result<Request, string> {
  const starters = new Map(generation.registry(PartStarters))
  const kinds = [...starters.keys()].join(', ')
  const starter = kind === undefined ? undefined : starters.get(kind)
  if (!starter)
    return err(
      kind === undefined ? `say what: ${kinds}` : `there is no kind "${kind}"; there are: ${kinds}`,
    )
  if (name === undefined) return err(`give it a name: amodal add ${kind} NAME`)
  if (more.length > 0) return err(`one part has one name, not ${more.length + 1}`)
  if (!NAME.test(name))
    return err(
      `"${name}" is no name for it: lower-case letters, digits, "_" and "-", at most 64, the first a letter or digit`,
    )
  const foreign = [...starters.values()]
    .flatMap((other) => Object.keys(other.options ?? {}))
    .find(
      (option) => options[option] !== undefined && !Object.hasOwn(starter.options ?? {}, option),
    )
  return foreign === undefined
    ? ok({ name, starter })
    : err(`--${foreign} is no option of \`amodal add ${kind}\``)
}

/** All of the files, or none where one is there already. */
async function writeAll(dir: string, files: readonly StarterFile[]): Promise<Result<void, string>> {
  const present = files.find(({ path }) => existsSync(join(dir, path)))
  if (present)
    return err(`${present.path} exists already. Choose another name; nothing was changed.`)
  return tryAsync(
    async () => {
      for (const { path, text } of files) {
        await mkdir(dirname(join(dir, path)), { recursive: true })
        await writeFile(join(dir, path), text, { flag: 'wx' })
      }
    },
    (cause) => `NOT_WRITABLE: ${dir} cannot be written: ${messageOf(cause)}`,
  )
}

const lineOf = ({ severity, file, line, message, fix }: BundleIssue): string =>
  `${severity === 'error' ? '✗' : '!'} ${file}${line === undefined ? '' : `:${line}`}  ${message}${fix === undefined ? '' : ` (${fix})`}`
