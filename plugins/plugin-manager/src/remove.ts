import { dirname } from 'node:path'
import { ok, type Command, type Failure, type Result } from '@amodal/sdk'

/** `amodal plugins remove NAME` */
export const removeCommand: Command = {
  summary: 'Remove a plugin from amodal.json and uninstall it',
  usage: 'amodal plugins remove PACKAGE [--keep] [--dir PATH]',
  about: [
    'Its entry in amodal.lock goes, too. Its data in the database is not deleted. A plugin of the preset is left out with { "without": "name" }.',
  ],
  examples: [['amodal plugins remove amodal-plugin-weather', 'removes the plugin and its package']],
  options: { keep: { type: 'boolean', description: 'Leave the package installed' } },
  async run(context) {
    const {
      arguments: [name, ...more],
      options,
      fail,
      print,
      dir,
    } = context
    if (name === undefined || more.length > 0) {
      fail('Name one package: amodal plugins remove PACKAGE')
      return 2
    }
    const { ManifestEdit } = await import('./manifest-edit.ts')
    const { installed, isPackageName } = await import('./installed.ts')
    const { npm } = await import('./npm.ts')
    const manifest = await ManifestEdit.open(dir)
    if (!manifest.ok || !manifest.value.remove(name)) {
      fail(
        manifest.ok
          ? `${manifest.value.file} does not list ${name}. It lists: ${manifest.value.named.join(', ') || 'none'}`
          : manifest.error.message,
      )
      return 1
    }
    const saved = await manifest.value.save()
    if (!saved.ok) {
      fail(saved.error.message)
      return 1
    }
    print(`${name} is not listed any more in ${manifest.value.file}`)
    const unlocked = await unlock(name, dirname(manifest.value.file))
    if (!unlocked.ok) {
      fail(unlocked.error.message)
      return 1
    }
    if (options['keep'] === true || !isPackageName(name) || !(await installed(name, dir))) return 0
    const done = await npm(['uninstall', '--no-audit', '--no-fund', '--', name], context)
    if (!done.ok) fail(`its package is still installed: ${done.error.message}`)
    return done.ok ? 0 : 1
  },
}

/** Removes the lock entry, so that adding the plugin later asks for confirmation again. */
async function unlock(name: string, dir: string): Promise<Result<void, Failure>> {
  const { readLock, writeLock } = await import('@amodal/sdk/packages')
  const lock = await readLock(dir)
  if (!lock.ok) return lock
  if (!lock.value || !Object.hasOwn(lock.value.plugins, name)) return ok(undefined)
  const { [name]: _, ...plugins } = lock.value.plugins
  return writeLock(dir, { ...lock.value, plugins })
}
