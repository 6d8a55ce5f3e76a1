import type { Json, JsonObject } from '@amodal/sdk'

/** An object of JSON: not a list, and not a number that is kept as an object for its digits. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
