import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  err,
  isPlugin,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type Plugin,
  type Result,
} from '@amodal/kernel'
import { failure } from '@amodal/sdk'
import type { CapabilityLists } from '@amodal/sdk/packages'
import { PLUGINS } from '../builtin.ts'
import { packageEntry } from './package-entry.ts'
import type { Checks } from './plugin-manifest.ts'

export interface FoundPlugin {
  readonly plugin: Plugin
  /** `builtin`, or the path or package it is from. */
  readonly source: string
  /** The accepted capabilities, or those that its package declares. */
  readonly capabilities?: CapabilityLists
}

const NO_CHECKS: Checks = { protocols: new Map(), lock: undefined }

/**
 * Finds a plugin by what amodal.json says: a path (`./`, `../`, `/`, `file:`), the name of a
 * builtin, or the exact name of a package, which is resolved from the folder of amodal.json and
 * never installed on the fly.
 *
 * @param ignoreCompat it is loaded although it is made for another kernel
 * @returns the plugin and where it is from; `PLUGIN_NOT_FOUND`, what `checkPackage` refuses with,
 *   or `PLUGIN_FAILED` where it throws while it is loaded
 */
export async function findPlugin(
  name: string,
  configFile: string,
  checks: Checks = NO_CHECKS,
  ignoreCompat = false,
): Promise<Result<FoundPlugin, Failure>> {
  const builtin = Object.hasOwn(PLUGINS, name) ? PLUGINS[name] : undefined
  if (builtin && !isPath(name)) return load(name, builtin, 'builtin')
  const file = isPath(name)
    ? ok(pathOf(name, configFile))
    : await tryAsync(() => packageEntry(name, configFile), messageOf)
  if (!file.ok) return err(failure('PLUGIN_NOT_FOUND', `"${name}" cannot be found: ${file.error}`))
  const { value } = file
  if (value === undefined)
    return err(
      failure(
        'PLUGIN_NOT_FOUND',
        `"${name}" is no builtin plugin (there are: ${Object.keys(PLUGINS).join(', ')}), and no package of that name is installed here`,
      ),
    )
  if (!existsSync(value)) return err(failure('PLUGIN_NOT_FOUND', `there is no file ${value}`))
  // most agents list no package, and need not load what reads one
  const { checkPackage } = await import('./plugin-manifest.ts')
  const checked = await checkPackage(name, value, checks, ignoreCompat)
  if (!checked.ok) return checked
  const { capabilities } = checked.value
  const loaded = await load(name, () => import(pathToFileURL(value).href))
  return loaded.ok && capabilities ? ok({ ...loaded.value, capabilities }) : loaded
}

async function load(
  name: string,
  from: () => Promise<unknown>,
  source = name,
): Promise<Result<FoundPlugin, Failure>> {
  try {
    const module = await from()
    const plugin =
      typeof module === 'object' && module !== null && 'default' in module
        ? module.default
        : undefined
    return isPlugin(plugin)
      ? ok({ plugin, source })
      : err(failure('NOT_A_PLUGIN', `"${name}" has no plugin as its default export`))
  } catch (cause) {
    return err(
      failure('PLUGIN_FAILED', `"${name}" cannot be loaded: ${messageOf(cause)}${cureOf(cause)}`, {
        cause,
      }),
    )
  }
}

/** ES modules in a folder that Node takes for CommonJS are the mistake of most first plugins. */
const cureOf = (cause: unknown): string =>
  cause instanceof SyntaxError && /outside a module|Unexpected token 'export'/.test(cause.message)
    ? '; Node takes it for CommonJS: put "type": "module" into the nearest package.json, or name the file .mts or .mjs'
    : ''

const isPath = (name: string): boolean =>
  name.startsWith('./') || name.startsWith('../') || isAbsolute(name) || name.startsWith('file:')
const pathOf = (name: string, configFile: string): string =>
  name.startsWith('file:') ? fileURLToPath(name) : resolve(dirname(configFile), name)
