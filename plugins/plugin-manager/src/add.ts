import type { Command, Inspector } from '@amodal/sdk'

/** `amodal plugins add PACKAGE` */
export const addCommand = (inspector: Inspector): Command => ({
  summary: 'Show what a plugin may do, and add it',
  usage:
    'amodal plugins add PACKAGE[@VERSION]|FILE.tgz [--config JSON] [--yes] [--no-install] [--allow-undeclared] [--ignore-compat] [--dir PATH]',
  about: [
    'Fetches the package into a folder of its own, reads what it says that it does, and looks into its files. Nothing of it is run. Once you accept it, it is installed in exactly that version, listed in `plugins` of amodal.json, and kept in amodal.lock: a start refuses other files, and more than was accepted.',
    'The same command takes another version of one that is listed, and shows what is different. A plugin has full rights in the process: take in only whom you trust.',
  ],
  examples: [
    ['amodal plugins add amodal-plugin-weather', 'the newest version; asks before it writes'],
    ['amodal plugins add amodal-plugin-weather@1.4.0 --yes', 'that version; you have read it'],
    [`amodal plugins add amodal-plugin-weather --config '{"most":100}'`, 'with its config'],
    ['amodal plugins add amodal-plugin-weather --no-install', 'what is installed already'],
  ],
  options: {
    config: { type: 'string', description: 'Its config, as JSON' },
    yes: { type: 'boolean', short: 'y', description: 'Accept it without being asked' },
    'no-install': { type: 'boolean', description: 'It is installed already: accept and list it' },
    'allow-undeclared': {
      type: 'boolean',
      description: 'Accept what its files do beyond what it says',
    },
    'ignore-compat': {
      type: 'boolean',
      description: 'List it although it is made for another kernel, sdk or version of a slot',
    },
  },
  run: async (context) => (await import('./add-plugin.ts')).addRequestedPlugin(context, inspector),
})
