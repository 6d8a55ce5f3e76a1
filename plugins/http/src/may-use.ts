import type { Identity } from '@amodal/sdk'

/** Whether a credential has the scope of a route. */
export const mayUse = ({ scopes }: Pick<Identity, 'scopes'>, scope: string): boolean =>
  scopes.includes('*') || scopes.includes(scope)
