import { isList, isObject, type Json } from '@amodal/sdk'
import { withDoubles } from '@amodal/sdk/data'
import { isDeep } from './is-deep.ts'

/**
 * A message whose tools have schemas with doubles: the library takes no other numbers there, and a
 * limit such as the largest of 64 bits means no record. A tool that is nested too deep is left as
 * it is: it is refused later, and takes no other with it.
 */
export function withPlainSchemas<M>(message: M): M {
  const json = message as Json // it was JSON on the wire
  if (!isObject(json) || !isObject(json['result'])) return message
  const { tools } = json['result']
  if (!isList(tools)) return message
  const plain = tools.map((tool) => (isDeep(tool) ? tool : withDoubles(tool)))
  return plain.every((tool, at) => tool === tools[at])
    ? message
    : ({ ...json, result: { ...json['result'], tools: plain } } as M) // the same shape
}
