import { keyedProviderContract } from '@amodal/sdk/testing'
import { modelAnthropic } from '../src/index.ts'
import { ANTHROPIC, createMessagesModel } from '../src/messages-model.ts'

keyedProviderContract(modelAnthropic, { endpoint: ANTHROPIC, make: createMessagesModel })
