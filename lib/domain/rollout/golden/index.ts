export { choiceLines, wentLines, type Choice } from './choice'
export { playLog, type Difference } from './play'
export { LogError, readLog } from './read'
