import type { Answer } from '../../api/types';

export type CustomerProduct = Answer<'listCustomerProducts'>['customerProducts'][number];
export type ProductModel = Answer<'listProductModels'>['productModels'][number];
