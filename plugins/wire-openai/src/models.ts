import { ok, type RouteContext } from '@amodal/sdk'
import { asCaller, checkModel, modelOf, type WireParts } from './requests.ts'

/** The agent as a model. Sub-agents are the agent's own means, and no models of their own. */
const modelObject = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'amodal' })

export const listModels = (parts: WireParts, context: RouteContext): Promise<Response> =>
  asCaller(parts, context, () =>
    Promise.resolve(ok(Response.json({ object: 'list', data: [modelObject(modelOf(parts))] }))),
  )

export const oneModel = (parts: WireParts, context: RouteContext, id: string): Promise<Response> =>
  asCaller(parts, context, () => {
    const model = checkModel(parts, id)
    return Promise.resolve(model.ok ? ok(Response.json(modelObject(model.value))) : model)
  })
