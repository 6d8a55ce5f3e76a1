import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { constants, Script } from 'node:vm'
import { err, failure, isPlugin, messageOf, ok, type Failure, type Plugin, type Result } from '@amodal/kernel'
import { PLUGINS } from '../builtin.ts'

export interface FoundPlugin {
  readonly plugin: Plugin
  /** `builtin`, or the path or package it is from. */
  readonly source: string
}

/**
 * Finds a plugin by what amodal.json says: a path (`./`, `../`, `/`, `file:`), the name of a builtin, or the exact
 * name of a package, which is resolved from the folder of amodal.json and never installed on the fly.
 *
 * @returns the plugin and where it is from; `PLUGIN_NOT_FOUND`, `NOT_A_PLUGIN`, or `PLUGIN_FAILED` where it throws while it is loaded
 */
export async function findPlugin(name: string, configFile: string): Promise<Result<FoundPlugin, Failure>> {
  const builtin = Object.hasOwn(PLUGINS, name) ? PLUGINS[name] : undefined
  if (isPath(name)) {
    const file = name.startsWith('file:') ? fileURLToPath(name) : resolve(dirname(configFile), name)
    if (!existsSync(file)) return err(failure('PLUGIN_NOT_FOUND', `there is no file ${file}`))
    return load(name, () => import(pathToFileURL(file).href))
  }
  return builtin ? load(name, builtin, 'builtin') : load(name, () => importFrom(configFile, name))
}

async function load(name: string, from: () => Promise<unknown>, source = name): Promise<Result<FoundPlugin, Failure>> {
  try {
    const module = await from()
    const plugin = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
    return isPlugin(plugin) ? ok({ plugin, source }) : err(failure('NOT_A_PLUGIN', `"${name}" has no plugin as its default export`))
  } catch (cause) {
    if (!isMissingPackage(cause, name)) return err(failure('PLUGIN_FAILED', `"${name}" cannot be loaded: ${messageOf(cause)}`, { cause }))
    return err(failure('PLUGIN_NOT_FOUND', `"${name}" is no builtin plugin (there are: ${Object.keys(PLUGINS).join(', ')}), and no package of that name is installed here`, { cause }))
  }
}

/** Imports a package as the file would; `require.resolve` would not see what a package exports to `import` only. */
function importFrom(file: string, name: string): Promise<unknown> {
  const script = new Script('(name) => import(name)', { filename: file, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })
  const load = script.runInThisContext() as (name: string) => Promise<unknown> // what the line above says
  return load(name)
}

/** Missing is the plugin itself; one that misses a package of its own is there, and broken. */
function isMissingPackage(cause: unknown, name: string): boolean {
  if (!(cause instanceof Error) || !('code' in cause)) return false
  const root = name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')
  return cause.code === 'ERR_INVALID_MODULE_SPECIFIER' || (cause.code === 'ERR_MODULE_NOT_FOUND' && cause.message.includes(`'${root}'`))
}

const isPath = (name: string): boolean => name.startsWith('./') || name.startsWith('../') || isAbsolute(name) || name.startsWith('file:')
