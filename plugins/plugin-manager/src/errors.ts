import { defineError } from '@amodal/sdk'

export const PluginRefused = defineError({
  code: 'PLUGIN_REFUSED',
  about: 'A package holds what no plugin may hold unasked, such as install scripts.',
  fix: 'see the findings above',
})

export const PluginNotAccepted = defineError({
  code: 'PLUGIN_NOT_ACCEPTED',
  about: 'Nobody has accepted what a plugin says that it may do.',
  fix: 'read what it may do, and run the same with --yes',
})
