// Inside the shell, which is the page's main part already.
export { NotAllowed as default } from '@/components/shell/dead-end'
