import type { AgentBundle, ApiDocument } from '@amodal/sdk';
export declare const WHOLE = "api-documents.whole";
/** Documents before their filters, where only they can say which tags an operation has. */
export declare function wholeDocumentsOf(bundle: AgentBundle): Readonly<Record<string, ApiDocument>>;
