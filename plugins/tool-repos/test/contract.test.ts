import { pluginContract } from '@amodal/sdk/testing'
import { toolRepos } from '../src/index.ts'

pluginContract(toolRepos)
