/** So begins what is kept of a decision of which the cluster said nothing, not even no. */
export const NO_ANSWER = 'The cluster did not answer'
