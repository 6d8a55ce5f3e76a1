import type { Json } from '@amodal/sdk'
import { isJsonObject } from '../model/json-object.ts'

const PARTS = ['connection', 'method', 'endpoint'] as const

/** `crm GET /customers` for the arguments of a request to a connection; `undefined` for others. */
export function requestLine(params: Json): string | undefined {
  if (!isJsonObject(params)) return undefined
  const parts = PARTS.map((name) => params[name])
  return parts.every((part) => typeof part === 'string') ? parts.join(' ') : undefined
}

/** Whether the line has the argument with this name. */
export const isOfRequest = (name: string): boolean => PARTS.some((part) => part === name)
