import { stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { PartsNotFound, withFix } from './errors.ts'
import { semver } from './libraries.ts'
import { isPackageName } from './package-manifest.ts'

/** Where a package comes from. `from` is the form that amodal.lock keeps. */
export type Source =
  | { readonly kind: 'folder'; readonly from: string; readonly path: string }
  | { readonly kind: 'tarball'; readonly from: string; readonly path: string }
  | {
      readonly kind: 'registry'
      readonly from: string
      readonly name: string
      /** A range of versions or a tag. */
      readonly range: string
    }
  | {
      readonly kind: 'git'
      readonly from: string
      /** Without `git+` and without a fragment. */
      readonly url: string
      /** A branch, a tag or a commit; left out: the default branch. */
      readonly ref?: string
    }

const TARBALL = /\.(?:tgz|tar\.gz|tar)$/i
/** Ways on which git may fetch; a source cannot name a helper that runs a program. */
const TRANSPORTS: ReadonlySet<string> = new Set(['https:', 'file:'])

/**
 * Reads what a person or a package names as a source: a folder, a tarball, `git+https://…#ref`, or
 * a name with a version.
 *
 * @param base the folder from which a relative path counts; left out: paths are refused
 * @param root the agent folder, from which paths in the lock count
 * @example await parseSource('@acme/crm@^1.2.0', '/agents/desk', '/agents/desk')
 */
export async function parseSource(
  text: string,
  base: string | undefined,
  root: string,
): Promise<Result<Source, Failure>> {
  if (text.startsWith('git+')) return gitSource(text)
  const isFile = text.startsWith('file:')
  if (isFile || /^\.{1,2}(?:[/\\]|$)/.test(text) || isAbsolute(text)) {
    if (base === undefined)
      return err(PartsNotFound(`"${text}" is a path, and a published package cannot name one`))
    return pathSource(resolve(base, isFile ? text.slice('file:'.length) : text), root)
  }
  if (/^[\w+.-]+:\/\//.test(text))
    return err(
      withFix(
        PartsNotFound(`"${text}" is no source`),
        'name a package, a folder, a tarball on this machine, or git+https://…',
      ),
    )
  return registrySource(text)
}

async function pathSource(path: string, root: string): Promise<Result<Source, Failure>> {
  const found = await stat(path).catch(() => undefined)
  const below = relative(root, path).split(sep).join('/')
  const from = `file:${below === '' ? '.' : below}`
  if (found?.isDirectory() === true) return ok({ kind: 'folder', from, path })
  if (found?.isFile() === true && TARBALL.test(path)) return ok({ kind: 'tarball', from, path })
  return err(
    found
      ? PartsNotFound(`${path} is no tarball: its name ends in .tgz or .tar.gz`)
      : PartsNotFound(`there is no ${path}`),
  )
}

function registrySource(text: string): Result<Source, Failure> {
  const [, name = '', range = 'latest'] = /^(@?[^@]+)(?:@(.+))?$/.exec(text) ?? []
  if (!isPackageName(name)) return err(PartsNotFound(`"${text}" names no package`))
  return isRange(range)
    ? ok({ kind: 'registry', from: `${name}@${range}`, name, range })
    : err(PartsNotFound(`"${range}" is neither a version, a range nor a tag`))
}

/** A source in a registry, of a dependency as package.json names it. */
export const dependencySource = (
  name: string,
  spec: string,
  base: string | undefined,
  root: string,
): Promise<Result<Source, Failure>> =>
  isRange(spec)
    ? Promise.resolve(ok({ kind: 'registry', from: `${name}@${spec}`, name, range: spec }))
    : parseSource(spec, base, root)

const isRange = (text: string): boolean =>
  semver().validRange(text) !== null || /^[A-Za-z][\w.-]{0,100}$/.test(text)

function gitSource(text: string): Result<Source, Failure> {
  const url = URL.parse(text.slice('git+'.length))
  if (!url || !TRANSPORTS.has(url.protocol) || url.username !== '' || url.password !== '')
    return err(
      withFix(
        PartsNotFound(`"${text}" is no address of git`),
        'write git+https://HOST/PATH.git#REF, without a name or a password',
      ),
    )
  const ref = decodeURIComponent(url.hash.slice(1))
  url.hash = ''
  if (ref !== '' && !/^[\w][\w./-]{0,200}$/.test(ref))
    return err(PartsNotFound(`"${ref}" is no branch, tag or commit`))
  return ok({ kind: 'git', from: text, url: url.href, ...(ref !== '' && { ref }) })
}

/** The folder that a path of the lock names. */
export const pathOf = (from: string, root: string): string => join(root, from.replace(/^file:/, ''))
