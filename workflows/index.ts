export { order } from './order/order';
