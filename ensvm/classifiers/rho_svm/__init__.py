"""The rho-SVM of Tsang & Kwok (IJCAI-07) and the ensemble that its training passes through."""
