import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  err,
  failure,
  fixOf,
  messageOf,
  ok,
  trySync,
  type CommandContext,
  type Failure,
  type Inspector,
  type Json,
  type Result,
} from '@amodal/sdk'
import {
  confirmAtTerminal,
  contentHash,
  LOCK_FILE,
  readLock,
  writeLock,
  type Lock,
} from '@amodal/sdk/packages'
import { summary } from './accept.ts'
import { PluginNotAccepted, PluginRefused } from './errors.ts'
import { hasErrors, report, type Finding } from './findings.ts'
import { installed, isPackageName, type PackageFolder } from './installed.ts'
import { ManifestEdit } from './manifest-edit.ts'
import { npm } from './npm.ts'
import { review } from './review.ts'
import { stage, type Staged } from './staging.ts'

const TARBALL = /\.(?:tgz|tar\.gz)$/
const EMPTY: Lock = { lockVersion: 1, plugins: {}, packages: {} }
/** What `--ignore-compat` and `--allow-undeclared` turn into warnings. */
const COMPAT = new Set(['KERNEL_VERSION', 'PEER_RANGE'])

/** What was asked for on the command line. */
interface Request {
  /** The package specifier that is passed to npm. */
  readonly spec: string
  /** `undefined` for a tarball, whose manifest has the name. */
  readonly name: string | undefined
  readonly config: Json | undefined
}

/** A package that was reviewed, and the files that it would be listed in. */
interface Candidate {
  readonly name: string
  readonly found: PackageFolder
  readonly staged: Staged | undefined
  readonly config: Json | undefined
  readonly manifest: ManifestEdit
  readonly lock: Lock
  readonly findings: readonly Finding[]
}

/**
 * Reviews the package that a command line names, asks for confirmation, and adds it.
 *
 * @returns the exit code
 */
export async function addRequestedPlugin(
  context: CommandContext,
  inspector: Inspector,
): Promise<number> {
  const request = requestOf(context)
  if (!request.ok) {
    context.fail(request.error)
    return 2
  }
  const candidate = await candidateOf(request.value, context, inspector)
  if (!candidate.ok) return refused(context, candidate.error)
  try {
    const done = await addPlugin(candidate.value, request.value, context)
    return done.ok ? 0 : refused(context, done.error)
  } finally {
    await candidate.value.staged?.discard()
  }
}

function requestOf({
  arguments: [given, ...more],
  options,
}: CommandContext): Result<Request, string> {
  const isTarball = given !== undefined && TARBALL.test(given)
  const [, name = ''] = /^(@?[^@]+)(?:@.+)?$/.exec(given ?? '') ?? []
  if (given === undefined || more.length > 0 || !(isTarball || isPackageName(name)))
    return err('Name one package: amodal plugins add PACKAGE[@VERSION]')
  const config = configOf(options['config'])
  if (!config.ok) return err(`--config is no JSON: ${config.error}`)
  return ok(
    isTarball
      ? { spec: resolve(given.replace(/^file:/, '')), name: undefined, config: config.value }
      : { spec: given, name, config: config.value },
  )
}

async function candidateOf(
  { spec, name: given, config }: Request,
  context: CommandContext,
  inspector: Inspector,
): Promise<Result<Candidate, Failure>> {
  const { dir, options } = context
  const manifest = await ManifestEdit.open(dir)
  if (!manifest.ok) return manifest
  const lock = await readLock(dirname(manifest.value.file))
  if (!lock.ok) return lock
  const isThere = options['no-install'] === true && given !== undefined
  if (!isThere && given === undefined && !existsSync(spec))
    return err(failure('PLUGIN_NOT_FOUND', `there is no file ${spec}`))
  const staged = isThere ? undefined : await stage(spec, context)
  if (staged?.ok === false) return staged
  const name = staged?.value.name ?? given ?? spec
  const found = staged?.value.found ?? (await installed(name, dir))
  if (!found) return err(failure('PLUGIN_NOT_FOUND', `${name} is not installed for ${dir}`))
  const findings = await review(name, found, { dir, inspector })
  return ok({
    name,
    found,
    staged: staged?.value,
    config,
    manifest: manifest.value,
    lock: lock.value ?? EMPTY,
    findings: findings.map((one) => lenient(one, options)),
  })
}

/** Findings that an option allows become warnings. */
const lenient = (one: Finding, options: CommandContext['options']): Finding =>
  (options['ignore-compat'] === true && COMPAT.has(one.code)) ||
  (options['allow-undeclared'] === true && one.code === 'UNDECLARED')
    ? { ...one, severity: 'warning' }
    : one

/** Shows the package, asks, then installs it and writes amodal.json and the lock. */
async function addPlugin(
  candidate: Candidate,
  request: Request,
  context: CommandContext,
): Promise<Result<void, Failure>> {
  const { name, found, staged, findings, lock, manifest, config } = candidate
  const { print, options } = context
  if (manifest.named.includes(name) && config !== undefined)
    return err(
      failure('VALIDATION_ERROR', `${name} is listed already in ${manifest.file}`, {
        fix: 'change its config there',
      }),
    )
  for (const line of summary(name, found, staged, lock.plugins[name])) print(line)
  report(findings, print)
  const compat = findings.filter(({ code }) => COMPAT.has(code))
  if (options['ignore-compat'] === true && compat.length > 0)
    print(`WARNING: ${name} was not made for this amodal. It may fail, or do what nobody expects.`)
  if (hasErrors(findings))
    return err(
      PluginRefused(`${name} ${found.manifest.version} is not taken in; nothing was written`),
    )
  const isAccepted =
    options['yes'] === true || (await confirmAtTerminal(`Take in ${name}?`, context))
  if (isAccepted !== true)
    return err(PluginNotAccepted(`${name} was not accepted; nothing was written`))
  const placed = staged ? await place(candidate, request, context) : ok(found)
  return placed.ok ? record(candidate, placed.value, context) : placed
}

/** Installs exactly what was reviewed. */
async function place(
  { name, staged, found }: Candidate,
  request: Request,
  context: CommandContext,
): Promise<Result<PackageFolder, Failure>> {
  const spec = request.name === undefined ? request.spec : `${name}@${found.manifest.version}`
  const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund']
  const done = await npm(['install', ...flags, '--', spec], context)
  if (!done.ok) return done
  const there = await installed(name, context.dir)
  if (there && staged && (await contentHash(there.folder)) === (await contentHash(found.folder)))
    return ok(there)
  return err(
    failure('PLUGIN_DRIFT', `what npm has installed as ${name} is not what was looked at`, {
      fix: `npm uninstall ${name}, and ask whoever runs the registry`,
    }),
  )
}

async function record(
  { name, staged, config, manifest, lock, findings }: Candidate,
  { manifest: declared, folder, isLinked }: PackageFolder,
  { print, options }: CommandContext,
): Promise<Result<void, Failure>> {
  const isLenient = options['ignore-compat'] === true
  const isListed = manifest.named.includes(name)
  if (!isListed) manifest.add(name, config, isLenient)
  else if (isLenient && !manifest.ignoresCompat(name))
    print(
      `Write { "use": "${name}", "ignoreCompat": true } into ${manifest.file}: it is listed there.`,
    )
  const locked = {
    version: declared.version,
    ...(staged?.integrity !== undefined && { integrity: staged.integrity }),
    ...(!isLinked && { content: await contentHash(folder) }),
    ...(declared.amodal?.capabilities && { capabilities: declared.amodal.capabilities }),
    accepted: [...new Set(findings.map(({ code }) => code))].toSorted(),
  }
  const kept = await writeLock(dirname(manifest.file), {
    ...lock,
    plugins: { ...lock.plugins, [name]: locked },
  })
  if (!kept.ok) return kept
  const saved = await manifest.save()
  if (!saved.ok) return saved
  print(`${name} ${declared.version} is listed in ${manifest.file}, and kept in ${LOCK_FILE}.`)
  print(
    'Nothing of it has run yet: `amodal plugins doctor` looks whether the agent starts with it.',
  )
  return ok(undefined)
}

function refused({ fail }: CommandContext, { code, message, fix }: Failure): number {
  fail(`${code}: ${message}\nWhat to do: ${fixOf({ code, fix })}.`)
  return 1
}

const configOf = (given: unknown) =>
  trySync(
    // any JSON: the plan checks it
    (): Json | undefined => (typeof given === 'string' ? (JSON.parse(given) as Json) : undefined),
    messageOf,
  )
