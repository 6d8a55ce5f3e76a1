import { registry, type Json } from '@amodal/kernel'

/** What a plugin says of itself in `GET /health`: merged into the answer; `problem` makes the status `degraded`. */
export interface HealthFact { readonly facts: Readonly<Record<string, Json>>; readonly problem?: string }
export const Health = registry<() => HealthFact>('health')
