import { trySync, messageOf, type Command, type CommandContext, type Json } from '@amodal/sdk'
import { installed, isPackageName, isPluginPackage } from './installed.ts'
import { npm } from './npm.ts'

/** `amodal plugins add PACKAGE` */
export const addCommand: Command = {
  summary: 'Install a plugin and list it in amodal.json',
  usage: 'amodal plugins add PACKAGE[@VERSION] [--config JSON] [--no-install] [--dir PATH]',
  about: [
    'Runs `npm install` in the folder of the agent, puts the package into `plugins` of amodal.json, and looks whether the agent still starts.',
    'Where it does not, amodal.json stays as it was, and the reason is printed. A plugin has full rights in the process: take in only whom you trust.',
  ],
  examples: [
    ['amodal plugins add amodal-plugin-weather', 'the newest version'],
    [`amodal plugins add amodal-plugin-weather --config '{"most":100}'`, 'with its config'],
  ],
  options: {
    config: { type: 'string', description: 'Its config, as JSON' },
    'no-install': { type: 'boolean', description: 'It is installed already: only list it' },
  },
  async run(context) {
    const {
      arguments: [spec, ...more],
      options,
      fail,
      print,
      dir,
    } = context
    const [, name = ''] = /^(@?[^@]+)(?:@.+)?$/.exec(spec ?? '') ?? []
    if (spec === undefined || more.length > 0 || !isPackageName(name)) {
      fail('Name one package: amodal plugins add PACKAGE[@VERSION]')
      return 2
    }
    const config = configOf(options['config'])
    if (!config.ok) {
      fail(`--config is no JSON: ${config.error}`)
      return 2
    }
    const { ManifestEdit } = await import('./manifest-edit.ts')
    const manifest = await ManifestEdit.open(dir)
    if (!manifest.ok) return refused(context, manifest.error.message)
    if (manifest.value.named.includes(name))
      return refused(context, `${name} is listed already in ${manifest.value.file}`)
    if (options['no-install'] !== true) {
      const done = await npm(['install', spec, '--no-audit', '--no-fund'], context)
      if (!done.ok) return refused(context, done.error.message)
    }
    const found = await installed(name, dir)
    if (!found) return refused(context, `${name} is not installed for ${dir}`)
    if (!isPluginPackage(found))
      return refused(
        context,
        `${name} ${found.version} is no plugin: its package.json has neither \`amodal\` nor the keyword amodal-plugin. It is not listed; \`npm uninstall ${name}\` takes it away`,
      )
    manifest.value.add(name, config.value)
    const saved = await manifest.value.save()
    if (!saved.ok) return refused(context, saved.error.message)
    if (!(await starts(context))) {
      await manifest.value.restore()
      return refused(context, `${name} ${found.version} does not fit; amodal.json is as it was`)
    }
    print(`${name} ${found.version} is listed in ${manifest.value.file}`)
    return 0
  },
}

async function starts({ start, fail }: CommandContext): Promise<boolean> {
  try {
    await start({ without: ['http'], looking: true })
    return true
  } catch (cause) {
    fail(messageOf(cause))
    return false
  }
}

function refused({ fail }: CommandContext, why: string): number {
  fail(why)
  return 1
}

const configOf = (given: unknown) =>
  trySync(
    (): Json | undefined => (typeof given === 'string' ? (JSON.parse(given) as Json) : undefined), // any JSON: the plan checks it
    messageOf,
  )
