import { isList, isObject, type Json } from '@amodal/sdk'
import { withDoubles } from '@amodal/sdk/data'

/**
 * A message whose tools have schemas with doubles: the library takes no other numbers there, and a
 * limit such as the largest of 64 bits means no record.
 */
export function withPlainSchemas<M>(message: M): M {
  const json = message as Json // it was JSON on the wire
  if (!isObject(json) || !isObject(json['result'])) return message
  const { tools } = json['result']
  if (!isList(tools)) return message
  const plain = withDoubles(tools)
  return plain === tools ? message : ({ ...json, result: { ...json['result'], tools: plain } } as M) // the same shape
}
