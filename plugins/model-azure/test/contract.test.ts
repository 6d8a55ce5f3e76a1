import { keyedProviderContract } from '@amodal/sdk/testing'
import { AZURE, createAzureModel } from '../src/azure-model.ts'
import { modelAzure } from '../src/index.ts'

keyedProviderContract(modelAzure, { endpoint: AZURE, make: createAzureModel })
