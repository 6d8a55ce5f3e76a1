import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  err,
  failure,
  fixOf,
  messageOf,
  ok,
  timeLimit,
  tryAsync,
  type Failure,
  type Result,
} from '@amodal/sdk'
import type { PkgCommand, PkgContext } from '../pkg-command.ts'
import { capabilityLines } from '../capability-lists.ts'
import { PartsNotAccepted, PartsNotFound, PartsRefused, withFix } from '../errors.ts'
import { fetchPackage } from '../fetch-package.ts'
import { scanForSecrets } from '../secret-scan.ts'
import { YES_OPTION } from './change-packages.ts'
import { confirmAtTerminal } from '@amodal/sdk/packages'

const LIMIT_MS = 300_000
const MOST_MESSAGE = 2_000

/** `amodal pkg publish [FOLDER]` */
export const publishCommand: PkgCommand = {
  summary: 'Publish a folder as a package of parts, with npm',
  usage: 'amodal pkg publish [FOLDER] [--dry-run] [--yes] [--dir PATH]',
  about: [
    'Packs the folder with npm, without running any script, and shows each file and what the package reaches. A file that looks as if it held a secret stops it. The tarball that you have seen is the one that npm publishes, with your settings of npm. Left out, FOLDER is the one of --dir.',
  ],
  examples: [
    ['amodal pkg publish ./crm-parts --dry-run', 'see what would be published'],
    ['amodal pkg publish ./crm-parts', 'asks, and publishes it'],
  ],
  options: {
    yes: { ...YES_OPTION, description: 'Publish it without being asked' },
    'dry-run': { type: 'boolean', description: 'Show what would be published, and stop' },
  },
  async run(context) {
    const [folder, ...more] = context.arguments
    if (more.length > 0) {
      context.fail('Name one folder: amodal pkg publish FOLDER')
      return 2
    }
    const draft = await mkdtemp(join(tmpdir(), 'amodal-pack-'))
    const done = await publish(resolve(context.dir, folder ?? '.'), draft, context)
    await rm(draft, { recursive: true, force: true })
    if (done.ok) return 0
    const { code, message, fix } = done.error
    context.fail(`${code}: ${message}\nWhat to do: ${fixOf({ code, fix })}.`)
    return 1
  },
}

async function publish(
  folder: string,
  draft: string,
  context: PkgContext,
): Promise<Result<void, Failure>> {
  const { print, options, env, signal, outbound } = context
  const packed = await npm(
    ['pack', '--ignore-scripts', '--pack-destination', draft],
    folder,
    context,
  )
  if (!packed.ok) return packed
  const [tarball] = await readdir(draft)
  if (tarball === undefined) return err(PartsNotFound(`npm has packed nothing of ${folder}`))
  const path = join(draft, tarball)
  const read = await fetchPackage(
    { kind: 'tarball', from: folder, path },
    { root: folder, env, signal, outbound, offline: true },
  )
  if (!read.ok) return read
  const { name, locked, contents } = read.value
  print(`${name} ${locked.version}, ${locked.integrity}`)
  for (const file of contents) print(`    ${file.path} (${file.bytes.byteLength} bytes)`)
  for (const line of capabilityLines(locked.capabilities)) print(`    it ${line}`)
  const secrets = scanForSecrets(contents)
  for (const { file, line, what } of secrets) print(`    ${file}:${line} looks like ${what}`)
  if (secrets.length > 0)
    return err(
      withFix(
        PartsRefused(`${secrets.length} places look like secrets; nothing was published`),
        'take them out, and write "env:NAME" in their place; whatever was pushed already is known to others',
      ),
    )
  if (options['dry-run'] === true) return ok(undefined)
  if (options['yes'] !== true && (await confirmAtTerminal('Publish this?', context)) !== true)
    return err(PartsNotAccepted('nobody has said yes; nothing was published'))
  const published = await npm(['publish', '--ignore-scripts', '--', path], folder, context)
  if (!published.ok) return published
  print(`${name} ${locked.version} is published.`)
  return ok(undefined)
}

async function npm(
  args: readonly string[],
  cwd: string,
  { env, signal }: PkgContext,
): Promise<Result<void, Failure>> {
  const limit = timeLimit(LIMIT_MS, `npm ${args[0]}`, signal)
  const isWindows = process.platform === 'win32'
  const child = spawn(isWindows ? 'npm.cmd' : 'npm', [...args], {
    cwd,
    env: { ...env },
    shell: isWindows, // the only way to run a .cmd
    signal: limit,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let problem = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem = `${problem}${text}`.slice(-MOST_MESSAGE)
  })
  const ended = await tryAsync(
    () => once(child, 'close') as Promise<[code: number | null]>, // by its documentation
    messageOf,
  )
  if (!ended.ok) return err(failure('NOT_FOUND', `npm cannot be run: ${ended.error}`))
  const [code] = ended.value
  return code === 0
    ? ok(undefined)
    : err(withFix(PartsNotFound(`npm ${args[0]} failed: ${problem.trim()}`), 'see what npm says'))
}
