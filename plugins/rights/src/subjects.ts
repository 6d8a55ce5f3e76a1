import type { AgentBundle } from '@amodal/sdk'
import { rolesOf } from '@amodal/plugin-roles/tokens'

/** Somebody who may do something: one with a role, or anybody. */
export interface Subject {
  readonly name: string
  readonly roles: readonly string[]
}

export const EVERYBODY = 'everybody'

/** Those whose rights may differ, by the roles of these bundles. */
export function subjectsOf(...bundles: readonly AgentBundle[]): readonly Subject[] {
  const roles = bundles.map(rolesOf)
  if (!roles.some(({ given }) => given)) return [{ name: EVERYBODY, roles: [] }]
  const names = [...new Set(roles.flatMap((one) => one.roles.map(({ name }) => name)))].sort()
  return [
    ...names.map((name): Subject => ({ name: `role ${name}`, roles: [name] })),
    { name: 'people without a role', roles: [] },
  ]
}
