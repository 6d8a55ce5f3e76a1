import { defineError } from '@amodal/sdk'

export const PanelFull = defineError({
  code: 'PANEL_FULL',
  status: 409,
  about: 'A panel has as many members as its template allows.',
  fix: 'remove a member, or raise `maxMembers` of the panel in amodal.json',
})
