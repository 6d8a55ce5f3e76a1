import { err, failure, ok, type Failure, type LanguageModel, type Result } from '@amodal/sdk'
import {
  type AddressParts,
  IMAGE_TYPES,
  type ModelEndpoint,
  type ModelTransport,
  type ResolvedModel,
  responsesModel,
} from '@amodal/sdk/model'

const RESOURCE = 'AZURE_RESOURCE_NAME'

/**
 * Source: "Azure OpenAI in Foundry Models v1 API" in the documentation of Azure. The name of a
 * deployment is the account's own, so that a key alone does not name a model.
 */
export const AZURE: ModelEndpoint = {
  name: 'azure',
  baseUrl: addressOf,
  envVar: 'AZURE_API_KEY',
  aliases: ['AZURE_OPENAI_API_KEY'],
  variables: [RESOURCE],
  rank: 50,
  lacks: ['seed', 'thinking'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
  carries: ['image/*', 'application/pdf'],
}

function addressOf({ variables }: AddressParts): Result<string, Failure> {
  const resource = variables[RESOURCE]
  if (resource === undefined)
    return err(
      failure(
        'ENV_NOT_SET',
        `${RESOURCE} is not set, and the address of the provider 'azure' needs it: set it to the name of the Azure OpenAI resource, or write its address as \`baseUrl\` beside the model, such as "https://my-resource.openai.azure.com/openai/v1"`,
        { details: { variable: RESOURCE } },
      ),
    )
  if (/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(resource))
    return ok(`https://${resource}.openai.azure.com/openai/v1`)
  return err(
    failure(
      'NO_MODEL',
      `${RESOURCE} is no name of a resource: it may have letters, digits and hyphens only. A whole address goes into \`baseUrl\``,
      { details: { variable: RESOURCE } },
    ),
  )
}

export function createAzureModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { model, apiKey } = resolved
  return responsesModel({
    resolved,
    transport,
    options: 'azure',
    headers: apiKey === undefined ? {} : { 'api-key': apiKey },
    async load(settings) {
      const { OpenAIResponsesLanguageModel } = await import('@ai-sdk/openai/internal')
      return new OpenAIResponsesLanguageModel(model, settings)
    },
    hint: (status) =>
      status === 404
        ? `; "${model}" has to be the name of a deployment of this resource, and the address has to end in /openai/v1`
        : undefined,
  })
}
