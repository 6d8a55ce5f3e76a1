import type { Json } from '@amodal/kernel'

/** `field` may be a path into objects, such as `owner.name`. */
export interface StoreFilter {
  readonly field: string
  readonly op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains'
  readonly value: Json
}
