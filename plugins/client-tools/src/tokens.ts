export {
  clientCallOf,
  clientToolsState,
  resultOfClient,
  toolsInState,
  type ClientCall,
  type ClientTool,
} from './client-tool.ts'
