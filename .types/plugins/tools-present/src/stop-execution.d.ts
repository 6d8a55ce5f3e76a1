/** Ends the turn once the calls of this step are settled: the model is not asked again. */
export declare const stopExecution: import("@amodal/sdk").ToolDefinition;
