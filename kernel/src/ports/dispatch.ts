import type { CallId } from '../ids.ts'
import type { JsonObject } from '../messages.ts'

export interface DispatchRequest { readonly call: CallId; readonly agent: string; readonly prompt: string; readonly args: JsonObject }
export interface DispatchVerdict { readonly deny: true; readonly message: string }
