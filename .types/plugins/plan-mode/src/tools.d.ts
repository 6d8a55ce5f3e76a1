/** The model goes into plan mode by itself, before something large. */
export declare const enterPlanMode: import("@amodal/sdk").ToolDefinition;
/** A plan for a person to approve: it is asked as every approval is, so that it waits, expires and survives as they do. */
export declare const proposePlan: import("@amodal/sdk").ToolDefinition;
