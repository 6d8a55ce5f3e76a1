import { createRequire } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { err, failure, isPlugin, messageOf, ok, type Failure, type Plugin, type Result } from '@amodal/kernel'
import { PLUGINS } from '../builtin.ts'

/**
 * Finds a plugin by what amodal.json says: a path (`./`, `../`, `/`, `file:`), the name of a builtin, or the exact
 * name of a package, which is resolved from the folder of amodal.json and never installed on the fly.
 *
 * @returns the plugin and where it came from; `PLUGIN_NOT_FOUND` or `NOT_A_PLUGIN`
 */
export async function findPlugin(name: string, configFile: string): Promise<Result<{ readonly plugin: Plugin; readonly source: string }, Failure>> {
  const builtin = Object.hasOwn(PLUGINS, name) ? PLUGINS[name] : undefined
  const load = isPath(name) ? () => import(urlOf(name, configFile)) as Promise<unknown>
    : builtin ?? (() => import(pathToFileURL(createRequire(configFile).resolve(name)).href) as Promise<unknown>)
  try {
    const module = await load()
    const value = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
    if (isPlugin(value)) return ok({ plugin: value, source: builtin ? 'builtin' : name })
    return err(failure('NOT_A_PLUGIN', `${configFile}: "${name}" has no plugin as its default export`))
  } catch (cause) {
    return err(failure('PLUGIN_NOT_FOUND', `${configFile}: the plugin "${name}" could not be loaded: ${messageOf(cause)}`, { cause }))
  }
}

const isPath = (name: string): boolean => name.startsWith('./') || name.startsWith('../') || isAbsolute(name) || name.startsWith('file:')
const urlOf = (name: string, configFile: string): string => (name.startsWith('file:') ? name : pathToFileURL(resolve(dirname(configFile), name)).href)
